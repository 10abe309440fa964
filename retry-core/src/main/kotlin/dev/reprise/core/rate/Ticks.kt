package dev.reprise.core.rate

internal const val NANOS_PER_SECOND: Long = 1_000_000_000

internal fun secondsOf(nanos: Long): Double = nanos.toDouble() / NANOS_PER_SECOND

/**
 * Readings of any nanosecond clock, turned into nanoseconds since an [origin] that never run backwards.
 *
 * The origin is the whole second before the first reading, so that bucket edges fall on the clock's own whole seconds
 * while every figure stays small enough for exact arithmetic. A reading that is up to a second older than the [newest]
 * comes from a racing thread and counts as the newest. An older one means that the clock was set back: the origin
 * moves, and time goes on from where it was.
 * (A thread that was held up for longer than that between reading the clock and using it looks the same. It moves the origin
 * too, and so gives away one bucket of permits at most.)
 */
internal class Ticks private constructor(private val origin: Long, val newest: Long) {
    /** Time at the reading [now], with [newest] moved on. */
    fun at(now: Long): Ticks {
        val ticks = now - origin
        return when {
            ticks == newest -> this
            ticks > newest -> Ticks(origin, ticks)
            ticks < newest - NANOS_PER_SECOND -> Ticks(now - newest, newest)
            else -> this
        }
    }

    /** The reading [then] of an earlier moment, in ticks, at most [newest]. */
    fun since(then: Long): Long = (then - origin).coerceAtMost(newest)

    companion object {
        fun startingAt(now: Long): Ticks {
            val second = now.mod(NANOS_PER_SECOND)
            return Ticks(now - second, second)
        }
    }
}
