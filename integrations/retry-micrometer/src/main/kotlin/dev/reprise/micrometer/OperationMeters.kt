package dev.reprise.micrometer

import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import dev.reprise.core.classify.FailureKind
import io.micrometer.core.instrument.Counter
import io.micrometer.core.instrument.DistributionSummary
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.Timer
import java.time.Duration
import java.util.EnumMap
import java.util.concurrent.TimeUnit

/** The meters of one operation, all of them made at once. */
internal class OperationMeters(private val registry: MeterRegistry, private val tags: Tags) {
    private val ok = attempts("success")
    private val failed = attempts("failure")
    private val cancelled = attempts("cancelled")
    private val recoveries = counter(Meters.RECOVERIES, "Calls that succeeded after a retry", tags)
    private val clamped = counter(Meters.CLAMPED, "Retries that come sooner than the server asked for", tags)
    private val permitWait = timer(Meters.PERMIT_WAIT, "Waits for a send permit", tags)

    private val giveUps =
        GIVE_UPS.associateWithTo(EnumMap(StopReason::class.java)) {
            counter(Meters.GIVE_UPS, "Calls that gave up", tags.and(Meters.REASON, it.word))
        }

    private val delays =
        FailureKind.entries.associateWithTo(EnumMap(FailureKind::class.java)) {
            timer(Meters.RETRY_DELAY, "Waits before retries", tags.and(Meters.KIND, it.name.lowercase()))
        }

    fun permitWaited(nanos: Long) = permitWait.record(nanos, TimeUnit.NANOSECONDS)

    fun retryScheduled(event: RetryEvent.RetryScheduled) {
        delays.getValue(event.kind).record(event.delayNanos, TimeUnit.NANOSECONDS)
        if (event.isClamped) clamped.increment()
    }

    fun succeeded(attempts: Int) {
        ok.record(attempts.toDouble())
        if (attempts > 1) recoveries.increment()
    }

    fun gaveUp(attempts: Int, reason: StopReason) {
        failed.record(attempts.toDouble())
        giveUps.getValue(reason).increment()
    }

    fun cancelled(attempts: Int) = cancelled.record(attempts.toDouble())

    private fun attempts(outcome: String): DistributionSummary = DistributionSummary.builder(Meters.CALL_ATTEMPTS)
        .description("Attempts of each call that ended")
        .tags(tags.and(Meters.OUTCOME, outcome))
        .serviceLevelObjectives(*ATTEMPT_BUCKETS)
        .register(registry)

    private fun counter(name: String, description: String, tags: Tags): Counter =
        Counter.builder(name).description(description).tags(tags).register(registry)

    private fun timer(name: String, description: String, tags: Tags): Timer = Timer.builder(
        name,
    ).description(description).tags(tags).serviceLevelObjectives(*DELAY_BUCKETS).register(registry)

    private companion object {
        /** Success is no giving up, and neither is cancellation. */
        val GIVE_UPS = StopReason.entries - StopReason.SUCCESS - StopReason.CANCELLED

        /** Few policies allow more than ten attempts; what is beyond shows in the maximum. */
        val ATTEMPT_BUCKETS = doubleArrayOf(1.0, 2.0, 3.0, 4.0, 5.0, 10.0)

        /** From the base of standard mode, 50 ms, to its cap, 20 s, doubling or nearly so. */
        val DELAY_BUCKETS =
            longArrayOf(50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000).map(Duration::ofMillis).toTypedArray()
    }
}
