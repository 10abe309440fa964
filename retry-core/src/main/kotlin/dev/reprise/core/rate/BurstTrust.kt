package dev.reprise.core.rate

import kotlin.math.min

/**
 * How many seconds' worth of permits may be saved up for a burst: [seconds] at [from], and more with every second after it.
 *
 * A throttle while permits were left over was not caused by the rate, since the callers did not use it up, but by requests
 * that came too close together. So it takes from the burst, and the rate stays ([blamed]). Where the server takes no burst at
 * all, permits end up evenly spaced, and that is what such a server wants.
 */
internal class BurstTrust(private val seconds: Double, private val from: Long, private val blamedAt: Long = NEVER) {
    /** Seconds' worth of permits at [now]. What was learnt grows in proportion, so that it is not forgotten at once. */
    fun at(now: Long, constants: SteadySettings): Double {
        if (constants.firstBurstSeconds == 0.0) return min(1.0, constants.trustPerSecond * secondsOf(now - from))
        val share = seconds / constants.firstBurstSeconds
        return min(1.0, seconds + constants.trustPerSecond * share * secondsOf(now - from))
    }

    /** After a cut at [now], which the burst did not cause. */
    fun cut(now: Long, constants: SteadySettings): BurstTrust =
        BurstTrust(min(constants.firstBurstSeconds, at(now, constants)), now)

    /** The trust after [throttle] if the burst was its cause; null if it was the rate. */
    fun blamed(throttle: Throttle, constants: SteadySettings): BurstTrust? {
        if (!throttle.isSpare) return null
        if (blamedAt != NEVER && throttle.sentAt < blamedAt) return this
        val now = at(throttle.now, constants)
        if (now * throttle.rate <= 1 || constants.firstBurstSeconds * throttle.rate < FEW_PERMITS) return null
        return BurstTrust(LEAST_BURST / throttle.rate, throttle.now, throttle.now)
    }

    fun later(by: Long) = BurstTrust(seconds, from + by, if (blamedAt == NEVER) NEVER else blamedAt + by)

    private companion object {
        /**
         * Where a usual burst is fewer permits, the rate is to blame: else 10/s with answers after a second is throttled in 12 % of its
         * attempts and served 0.72 (8 %, 0.77).
         */
        const val FEW_PERMITS = 2

        /** What is left of a burst that was refused, in permits. So it stays at one permit while the rate doubles. */
        const val LEAST_BURST = 0.5
    }
}
