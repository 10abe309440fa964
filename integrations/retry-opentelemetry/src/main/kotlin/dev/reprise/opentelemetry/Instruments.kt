package dev.reprise.opentelemetry

import io.opentelemetry.api.metrics.DoubleHistogram
import io.opentelemetry.api.metrics.LongCounter
import io.opentelemetry.api.metrics.LongHistogram
import io.opentelemetry.api.metrics.Meter

/** The instruments of [RetryMeters]. The buckets are advice: a view of the SDK overrides them. */
internal class Instruments(private val meter: Meter) {
    val attempts: LongHistogram = meter.histogramBuilder(MeterNames.CALL_ATTEMPTS).ofLongs()
        .setDescription("Attempts of each call that ended").setUnit("{attempt}")
        .setExplicitBucketBoundariesAdvice(listOf(1, 2, 3, 4, 5, 10)).build()

    val shareRefused: LongCounter = meter.counterBuilder(MeterNames.QUOTA_SHARE_REFUSED)
        .setDescription("Retries that an operation's own share of the quota refused").setUnit("{retry}").build()

    val retryDelay: DoubleHistogram = seconds(MeterNames.RETRY_DELAY, "Waits before retries")
    val permitWait: DoubleHistogram = seconds(MeterNames.PERMIT_WAIT, "Waits for a send permit")

    private fun seconds(name: String, description: String): DoubleHistogram = meter.histogramBuilder(name)
        .setDescription(description).setUnit("s").setExplicitBucketBoundariesAdvice(DELAYS).build()

    private companion object {
        /** From the base of standard mode, 50 ms, to its cap, 20 s, doubling or nearly so. */
        val DELAYS = listOf(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
    }
}
