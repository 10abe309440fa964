package dev.reprise.redis

import kotlin.math.ceil

/**
 * The slots of one lease: moments at which one attempt each may be sent, in ns of the client's clock. Immutable.
 *
 * A slot may be used a little late, as timers are; then it lapses. So one that is not used is lost, and no other client
 * waits for it.
 */
internal class Slots(
    private val first: Long,
    val gapNanos: Double,
    val left: Int,
    /** Under which rate they were handed out. */
    val generation: String,
    private val used: Int = 0,
) {
    /** When the next slot is, with [ahead] of them used before it. */
    fun at(ahead: Int): Long = first + ((used + ahead) * gapNanos).toLong()

    /** When the last slot is. */
    val last: Long get() = at(left - 1)

    /** The slots that are not lapsed [now]. */
    fun live(now: Long): Slots {
        val late = now - GRACE - at(0)
        if (late <= 0 || left == 0) return this
        val gone = minOf(left.toDouble(), ceil(late / gapNanos)).toInt()
        return Slots(first, gapNanos, left - gone, generation, used + gone)
    }

    /** These slots without the next one. */
    fun taken(): Slots = Slots(first, gapNanos, left - 1, generation, used + 1)

    /** The last one of these slots, or none. */
    fun lastOnly(): Slots = Slots(first, gapNanos, minOf(1, left), generation, used + maxOf(0, left - 1))

    override fun toString(): String = "$left slots from ${at(0)} every $gapNanos ns"

    companion object {
        /** How late a slot may be used, in ns: as late as timers of a busy machine. */
        const val GRACE = 50_000_000L
    }
}
