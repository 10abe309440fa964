package dev.reprise.core.shell.rate

import dev.reprise.core.shell.time.SECOND

/**
 * The measured rate: answers counted in buckets of the clock, smoothed from bucket to bucket. Between two edges nothing
 * changes here; the counts since the last edge are differences of totals.
 *
 * The answer that opens a new bucket still counts in the old one, as in the SDKs. Answers that were not throttled are
 * also counted separately.
 */
internal class Meter(
    private val edge: Long = 0,
    private val answersBefore: Long = 0,
    private val admittedBefore: Long = 0,
    val rate: Double = 0.0,
    val admittedRate: Double = 0.0,
) {
    /** The meter after an answer at [now], with which there were [answers] in all, and of these [admitted]. */
    fun after(answers: Long, admitted: Long, now: Long): Meter {
        if (now - edge < BUCKET_NANOS) return this
        val newEdge = now - now % BUCKET_NANOS
        val seconds = secondsOf(newEdge - edge)
        return Meter(
            edge = newEdge,
            answersBefore = answers,
            admittedBefore = admitted,
            rate = SMOOTHING * ((answers - answersBefore) / seconds) + (1 - SMOOTHING) * rate,
            admittedRate = SMOOTHING * ((admitted - admittedBefore) / seconds) + (1 - SMOOTHING) * admittedRate,
        )
    }

    /** The rate at which answers that were not throttled came in the bucket that is still open, if it ended now. */
    fun admittedLately(admitted: Long): Double = (admitted - admittedBefore) / secondsOf(BUCKET_NANOS)

    companion object {
        /** The length of a bucket, the SDKs' half a second. */
        const val BUCKET_NANOS = SECOND / 2

        /** The weight of the newest bucket, the SDKs'. */
        const val SMOOTHING = 0.8

        /** A rate never grows beyond this multiple of the measured rate, the SDKs'. */
        const val MOST_OVER_MEASURED = 2.0
    }
}
