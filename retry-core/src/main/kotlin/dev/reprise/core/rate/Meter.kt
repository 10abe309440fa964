package dev.reprise.core.rate

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
    fun after(answers: Long, admitted: Long, now: Long, settings: SendRateSettings): Meter {
        val length = settings.bucketNanos
        if (now - edge < length) return this
        val newEdge = now - now % length
        val seconds = secondsOf(newEdge - edge)
        val weight = settings.smoothing
        return Meter(
            edge = newEdge,
            answersBefore = answers,
            admittedBefore = admitted,
            rate = weight * ((answers - answersBefore) / seconds) + (1 - weight) * rate,
            admittedRate = weight * ((admitted - admittedBefore) / seconds) + (1 - weight) * admittedRate,
        )
    }

    /** The rate at which answers that were not throttled came in the bucket that is still open, if it ended now. */
    fun admittedLately(admitted: Long, settings: SendRateSettings): Double =
        (admitted - admittedBefore) / settings.bucketSeconds
}
