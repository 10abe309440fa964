package dev.reprise.core.rate

import kotlin.math.max

/** No time: something has not happened. */
internal const val NEVER: Long = Long.MAX_VALUE

/** The rate doubles from [rate] at [from] on; [least] is what it may be whatever was measured. */
internal class Search(val from: Long, val rate: Double, val least: Double = 0.0) {
    fun later(by: Long) = Search(from + by, rate, least)
}

/** Answers that were admitted after [from]; before that there were [before]. Young until the recovery is half over. */
internal class Count(val from: Long, val before: Long, val isMature: Boolean) {
    /** Admitted a second when there are [admitted] in all at [now], the throttled one that ends the count included. */
    fun rate(admitted: Long, now: Long): Double = (admitted - before + 1) / secondsOf(max(1, now - from))

    /**
     * As [rate], shrunk towards [expected] as by one admission more; a server may have had half an interval to spare.
     */
    fun shrunkRate(admitted: Long, now: Long, expected: Double): Double {
        val seconds = max(secondsOf(now - from) - 0.5 / expected, 0.5 / expected)
        return (admitted - before + 1) / (seconds + 1 / expected)
    }

    fun later(by: Long) = Count(from + by, before, isMature)
}

/** A server that throttles: from the cut until it accepts a request that was sent after the cut. */
internal class ThrottleEvent(
    /** When the first such request was sent; [NEVER] while there is none. */
    val overAt: Long = NEVER,
    /** How many requests that were sent after the cut were refused. */
    val refused: Int = 0,
    /** Whether the cut was made because the server accepted nothing since the one before. */
    val isBlind: Boolean = false,
) {
    val isOver: Boolean get() = overAt != NEVER

    fun refusedOnce() = ThrottleEvent(overAt, refused + 1, isBlind)

    fun over(at: Long) = ThrottleEvent(at, refused, isBlind = false)

    fun later(by: Long) = if (isOver) ThrottleEvent(overAt + by, refused, isBlind) else this
}
