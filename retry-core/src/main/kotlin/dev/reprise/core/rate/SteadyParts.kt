package dev.reprise.core.rate

import kotlin.math.max

/** No time: something has not happened. */
internal const val NEVER: Long = Long.MAX_VALUE

/** A search that is so many times faster than what is measured begins anew from there. */
internal const val FAR_BEYOND = 2.0

/** What was throttled again at once is cut by so much more than [SendRateSettings.beta]. */
internal const val AGAIN = 0.9

/** The same below [SteadySettings.gentleBelow], where a cut takes a second or more. */
internal const val AGAIN_IF_SLOW = 0.85

/** A count of fewer answers says nothing. */
internal const val FEW = 2

/** So many refusals in one event are no accident of phase, even after a long count. */
internal const val MANY = 3

/** One estimate lowers the rate at most to this part: the next one comes as soon as it was not enough. */
internal const val DEEPEST_ESTIMATE = 0.3

/** A timer is late by a millisecond or two, a thread by some more where a machine is busy, a collector by tens. */
internal const val LATE_SECONDS = 0.05

/** The rate doubles from [rate] at [from] on; it may be [least], whatever was measured. */
internal class Search(val from: Long, val rate: Double, val outage: Outage? = null, val least: Double = 0.0) {
    fun later(by: Long) = Search(from + by, rate, outage, least)
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
