package dev.reprise.core.shell.rate

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

/**
 * Spares most attempts of a fast client a step of its [SendRateState]: holds permits that were taken together, and
 * counts accepted responses that will be recorded together. Both cover a few milliseconds. Safe for any number of
 * threads.
 *
 * Permits are bundled only if three times as many stay in the state, so no caller waits while the bundle holds some.
 * They return before a throttle is recorded, and when the bundle's time is over.
 */
internal class Bundle(private val base: Long) {
    // When the permits were taken, in slots from the base on, and how many are left; zero if none were.
    private val permits = AtomicLong()

    // How many accepted answers are not recorded, and when the last ones were.
    private val answers = AtomicInteger()

    @Volatile
    private var recordedAt = base - NANOS

    /** Takes a permit at [now] if one is here. */
    fun tryTake(now: Long): Boolean {
        while (true) {
            val here = permits.get()
            if (here and COUNT == 0L || !isInTime(here, now)) return false
            if (permits.compareAndSet(here, here - 1)) return true
        }
    }

    /** Replaces the permits by [count] that hold from [now] on, and returns how many it replaced. */
    fun open(count: Int, now: Long): Int =
        (permits.getAndSet((slotOf(now) shl COUNT_BITS) or count.toLong()) and COUNT).toInt()

    /** Takes out all permits, and returns how many they were. */
    fun empty(): Int = if (permits.get() == 0L) 0 else (permits.getAndSet(0) and COUNT).toInt()

    /** As [empty]; [NONE] if there was no bundle at [now], nor shortly before. */
    fun close(now: Long): Int {
        val here = permits.getAndSet(0)
        val count = (here and COUNT).toInt()
        return if (count > 0 || (here != 0L && isInTime(here, now))) count else NONE
    }

    /** Counts an accepted answer that came at [now], to be recorded with a later one; false if it is time to record. */
    fun absorb(now: Long): Boolean {
        if (now - recordedAt !in 0..<NANOS) return false
        answers.incrementAndGet()
        return true
    }

    /** How many accepted answers are to be recorded together with one at [now]. They are out of here then. */
    fun unrecorded(now: Long): Int {
        recordedAt = now
        return if (answers.get() == 0) 0 else answers.getAndSet(0)
    }

    private fun slotOf(now: Long) = ((now - base) shr SLOT_BITS) + 1

    private fun isInTime(here: Long, now: Long) = slotOf(now) - (here shr COUNT_BITS) in 0..<(NANOS shr SLOT_BITS)

    companion object {
        /** How long a bundle lasts: short against a limiter's second. */
        const val NANOS: Long = 5_000_000

        /** The result of [close] where there is no bundle. */
        const val NONE: Int = -1

        /** The permits that may be taken together at [rate]: at most a quarter of the [available] ones, at least one. */
        fun sizeAt(rate: Double, available: Double): Int =
            minOf(available / PART, rate * secondsOf(NANOS), MOST).toInt().coerceAtLeast(1)

        private const val PART = 4
        private const val MOST = ((1 shl 15) - 1).toDouble()
        private const val COUNT_BITS = 16
        private const val COUNT = (1L shl COUNT_BITS) - 1

        /** A slot is 66 µs; 48 bits of them are centuries. */
        private const val SLOT_BITS = 16
    }
}
