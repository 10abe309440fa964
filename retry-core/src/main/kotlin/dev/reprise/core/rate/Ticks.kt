package dev.reprise.core.rate

internal const val NANOS_PER_SECOND: Long = 1_000_000_000

internal fun secondsOf(nanos: Long): Double = nanos.toDouble() / NANOS_PER_SECOND

/**
 * Readings of any nanosecond clock, turned into nanoseconds since an [origin] that never run backwards.
 *
 * The origin is the whole second before the first reading, so that bucket edges fall on the clock's own whole seconds
 * while every figure stays small enough for exact arithmetic. A reading that is up to a minute older than the [newest]
 * comes from a thread that was held up on its way here, and counts as the newest: time must not be counted twice. An older
 * one means that the clock was set back: the origin moves, and time goes on from where it was.
 */
internal class Ticks private constructor(private val origin: Long, val newest: Long) {
    /** Time at the reading [now], with [newest] moved on. */
    fun at(now: Long): Ticks {
        val ticks = now - origin
        return when {
            ticks == newest -> this
            ticks > newest -> Ticks(origin, ticks)
            ticks < newest - LONGEST_DETOUR -> Ticks(now - newest, newest)
            else -> this
        }
    }

    /** The reading [then] of an earlier moment, in ticks, at most [newest]. */
    fun since(then: Long): Long = (then - origin).coerceAtMost(newest)

    companion object {
        private const val LONGEST_DETOUR = 60 * NANOS_PER_SECOND

        fun startingAt(now: Long): Ticks {
            val second = now.mod(NANOS_PER_SECOND)
            return Ticks(now - second, second)
        }
    }
}
