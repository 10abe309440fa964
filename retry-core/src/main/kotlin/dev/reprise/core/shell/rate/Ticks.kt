package dev.reprise.core.shell.rate

import dev.reprise.core.shell.time.SECOND

internal fun secondsOf(nanos: Long): Double = nanos.toDouble() / SECOND

/**
 * Readings of any nanosecond clock, turned into nanoseconds since an [origin] that never run backwards.
 *
 * The origin is the whole second before the first reading, so that bucket edges fall on the clock's own whole seconds
 * while every figure stays small enough for exact arithmetic. A reading up to a minute older than the newest comes from
 * a thread that was delayed, and counts as the newest: time must not be counted twice. An older one means that the
 * clock was set back: the origin moves, and time continues from its last value.
 */
internal class Ticks(private val origin: Long) {
    /** Time at the reading [now], never before [newest]. */
    fun at(now: Long, newest: Long): Long = maxOf(now - origin, newest)

    /** Whether the reading [now] is too old for a thread that was held up. */
    fun isSetBack(now: Long, newest: Long): Boolean = now - origin < newest - LONGEST_DETOUR

    companion object {
        private const val LONGEST_DETOUR = 60 * SECOND

        /** Ticks whose time at the reading [now] is less than a second. */
        fun startingAt(now: Long): Ticks = Ticks(now - now.mod(SECOND))

        /** Ticks whose time at the reading [now] is [newest]. */
        fun goingOnFrom(newest: Long, now: Long): Ticks = Ticks(now - newest)
    }
}
