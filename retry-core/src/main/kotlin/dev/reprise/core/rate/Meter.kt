package dev.reprise.core.rate

import kotlin.math.roundToLong

/**
 * The measured rate: answers counted in buckets of the clock, smoothed from bucket to bucket.
 *
 * The answer that opens a new bucket still counts in the old one, as in the SDKs. Those that were not throttled are counted
 * once more apart.
 */
internal class Meter(
    private val edge: Long = 0,
    private val count: Long = 0,
    val rate: Double = 0.0,
    private val admittedCount: Long = 0,
    val admittedRate: Double = 0.0,
) {
    fun counting(throttled: Boolean, now: Long, settings: SendRateSettings): Meter {
        val length = (settings.bucketSeconds * NANOS_PER_SECOND).roundToLong()
        val newEdge = now - now % length
        val answers = count + 1
        val admitted = if (throttled) admittedCount else admittedCount + 1
        if (newEdge <= edge) return Meter(edge, answers, rate, admitted, admittedRate)
        val seconds = secondsOf(newEdge - edge)
        val weight = settings.smoothing
        return Meter(
            edge = newEdge,
            count = 0,
            rate = weight * (answers / seconds) + (1 - weight) * rate,
            admittedCount = 0,
            admittedRate = weight * (admitted / seconds) + (1 - weight) * admittedRate,
        )
    }

    /** The rate at which answers that were not throttled came in the bucket that is still open, if it ended now. */
    fun admittedLately(settings: SendRateSettings): Double = admittedCount / settings.bucketSeconds
}
