package dev.reprise.core.shell.rate

import kotlin.math.max

/**
 * An estimate of the server's rate: the answers that were admitted after [from], before which there were [before]. It is mature
 * once the recovery was half over when it began; the [young] one before it was counted while the rate was rising. (Counted from the cut
 * on: 67 of the matrix's cells are worse, by up to 0.15.)
 */
internal class Estimate(
    private val from: Long,
    private val before: Long,
    val isMature: Boolean,
    private val young: Estimate? = null,
) {
    /**
     * Whether it was counted at [now] for less than a window of a second, of whose beginning it knows nothing.
     * (Without: 100/s to 200/s in a fixed window takes 55 s.)
     */
    fun isShort(now: Long): Boolean = isMature && secondsOf(now - from) < LEAST_SECONDS

    /** This estimate at [now], or the one before it if this one is short. */
    fun orBefore(now: Long): Estimate? = if (isShort(now)) young else this

    /** Whether too few answers were counted, [admitted] in all, to say anything. */
    fun isEmpty(admitted: Long): Boolean = !isMature && admitted - before < FEW

    /**
     * The number of refusals in one event that cannot be an accident of phase. (One number for both: 100/s to 200/s in
     * a fixed window takes 4 s longer.)
     */
    val refusalsThatTell: Int get() = if (isMature) MANY else FEW

    /** Admitted a second when there are [admitted] in all at [now], the throttled one that ends the count included. */
    fun rate(admitted: Long, now: Long): Double = (admitted - before + 1) / secondsOf(max(1, now - from))

    /**
     * As [rate], shrunk towards [expected] as by one admission more; a server may have had half an interval to spare. (Unshrunk: 100/s
     * to 200/s in a fixed window takes 8 s longer.)
     */
    fun shrunkRate(admitted: Long, now: Long, expected: Double): Double {
        val seconds = max(secondsOf(now - from) - 0.5 / expected, 0.5 / expected)
        return (admitted - before + 1) / (seconds + 1 / expected)
    }

    fun later(by: Long): Estimate = Estimate(from + by, before, isMature, young?.later(by))

    companion object {
        const val FEW = 2
        const val MANY = 3
        private const val LEAST_SECONDS = 1.0
    }
}
