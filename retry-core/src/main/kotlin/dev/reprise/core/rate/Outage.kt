package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow

/** An outage of throttles: the server has refused everything since [since]. Before that it was asked [lost] times a second. */
internal class Outage(private val lost: Double, private val since: Long) {
    /** Whether more than once a second is known to have been borne. */
    val isOfFast: Boolean get() = lost * SHARE_AT_ONCE > LEAST_BACK

    /** What the first accepted answer allows at once: the rest is found by doubling three times. */
    val back: Double get() = max(LEAST_BACK, lost * SHARE_AT_ONCE)

    /**
     * The least rate at [now]. In the first minute it is once a second, so that the end is noticed soon; a client that has never
     * been faster than ten a second asks less. After that it halves each minute: it might be no outage, but a slow server.
     */
    fun leastRate(now: Long): Double {
        val minutes = max(0.0, secondsOf(now - since) / SECONDS_IN_A_MINUTE - 1)
        return min(1.0, lost * SHARE_TO_ASK) * 0.5.pow(minutes)
    }

    private companion object {
        const val SECONDS_IN_A_MINUTE = 60
        const val LEAST_BACK = 1.0
        const val SHARE_AT_ONCE = 0.125
        const val SHARE_TO_ASK = 0.1
    }
}
