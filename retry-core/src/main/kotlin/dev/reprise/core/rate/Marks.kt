package dev.reprise.core.rate

/**
 * How many answers there were, and when a permit was taken while another one was left: two figures in one word, since
 * every attempt makes two states.
 *
 * The moment is kept in slots of 0.13 ms on a clock face that goes round in 18 minutes, and forgotten after one.
 */
@JvmInline
internal value class Marks(private val bits: Long) {
    val answers: Long get() = bits and COUNT

    private val slot: Long get() = bits ushr COUNT_BITS

    /** With so [many] more answers, the last of which came at [now]. */
    fun answered(many: Int, now: Long): Marks {
        val kept = if (slot != 0L && agoAt(now) < MEMORY) slot else 0L
        return Marks(kept shl COUNT_BITS or ((answers + many) and COUNT))
    }

    /** A permit was taken at [now], and another one was left. */
    fun spareAt(now: Long) = Marks(slotOf(now) shl COUNT_BITS or answers)

    /** Whether that was at most [nanos] before [sent], or after it: in the same burst, or in a newer one. */
    fun wasSpare(sent: Long, nanos: Double): Boolean = slot != 0L && agoAt(sent) * SLOT_NANOS < nanos

    /** How many slots before [now] the mark is, or after it if that is less than the memory. */
    private fun agoAt(now: Long) = Math.floorMod(slotOf(now) - slot + MEMORY, FACE) - MEMORY

    private fun slotOf(now: Long) = 1 + Math.floorMod(now / SLOT_NANOS, FACE)

    private companion object {
        const val COUNT_BITS = 40
        const val COUNT = (1L shl COUNT_BITS) - 1
        const val FACE = (1L shl 23) - 1
        const val SLOT_NANOS = 131_072L
        const val MEMORY = 60 * NANOS_PER_SECOND / SLOT_NANOS
    }
}
