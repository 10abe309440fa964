package dev.reprise.core.rate

import kotlin.math.roundToLong

/**
 * The measured rate: answers counted in buckets of the clock, smoothed from bucket to bucket.
 *
 * The answer that opens a new bucket still counts in the old one, as in the SDKs.
 */
internal class Meter(private val edge: Long, private val count: Long, val rate: Double) {
    fun counting(now: Long, settings: SendRateSettings): Meter {
        val length = (settings.bucketSeconds * NANOS_PER_SECOND).roundToLong()
        val newEdge = now - now % length
        if (newEdge <= edge) return Meter(edge, count + 1, rate)
        val newest = (count + 1) / secondsOf(newEdge - edge)
        return Meter(newEdge, 0, settings.smoothing * newest + (1 - settings.smoothing) * rate)
    }
}
