package dev.reprise.micrometer

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.word
import io.micrometer.core.instrument.Counter
import io.micrometer.core.instrument.DistributionSummary
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.Timer
import java.time.Duration
import java.util.EnumMap
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit

/** The meters of one operation in one registry, all of them made at once. */
internal class OperationMeters(private val group: MeterGroup, private val tags: Tags, private val histograms: Boolean) {
    private val calls = listOf(SUCCESS, FAILURE, CANCELLED).associateWith { outcome ->
        listOf(false, true).map { retried ->
            val tags = tags.and(Meters.OUTCOME, outcome, Meters.RETRIED, "$retried")
            counter(Meters.CALLS, "Calls that ended", tags)
        }
    }

    private val attempts = summary()
    private val clamped = counter(Meters.CLAMPED, "Retries that come sooner than the server asked for", tags)
    private val shareRefused =
        counter(Meters.QUOTA_SHARE_REFUSED, "Retries that the operation's own share of the quota refused", tags)
    private val delay = timer(Meters.RETRY_DELAY, "Waits before retries")
    private val permitWait = timer(Meters.PERMIT_WAIT, "Waits for a send permit")

    private val giveUps =
        GIVE_UPS.associateWithTo(EnumMap(StopReason::class.java)) {
            counter(Meters.GIVE_UPS, "Calls that gave up", tags.and(Meters.REASON, it.word))
        }

    private val retries =
        FailureKind.entries.associateWithTo(EnumMap(FailureKind::class.java)) {
            counter(Meters.RETRIES, "Retries", tags.and(Meters.KIND, it.name.lowercase()))
        }

    // Made when they are first told of: most policies send no copies.
    private val hedges = ConcurrentHashMap<String, Counter>()

    fun hedge(result: String) = hedges.computeIfAbsent(result) {
        counter(Meters.HEDGES, "Copies of slow attempts", tags.and(Meters.RESULT, it))
    }.increment()

    fun permitWaited(nanos: Long) = permitWait.record(nanos, TimeUnit.NANOSECONDS)

    fun quotaRefused(event: RetryEvent.QuotaRefused) {
        if (event.isOperationShare) shareRefused.increment()
    }

    fun retryScheduled(event: RetryEvent.RetryScheduled) {
        retries.getValue(event.kind).increment()
        delay.record(event.delayNanos, TimeUnit.NANOSECONDS)
        if (event.isClamped) clamped.increment()
    }

    fun succeeded(attempts: Int) = ended(SUCCESS, attempts)

    fun gaveUp(attempts: Int, reason: StopReason) {
        ended(FAILURE, attempts)
        giveUps.getValue(reason).increment()
    }

    fun cancelled(attempts: Int) = ended(CANCELLED, attempts)

    private fun ended(outcome: String, attempts: Int) {
        calls.getValue(outcome)[if (attempts > 1) 1 else 0].increment()
        this.attempts.record(attempts.toDouble())
    }

    private fun summary(): DistributionSummary {
        val builder = DistributionSummary.builder(Meters.CALL_ATTEMPTS).description("Attempts of each call that ended")
        if (histograms) builder.serviceLevelObjectives(*ATTEMPT_BUCKETS)
        return group.add(builder.tags(tags).register(group.registry))
    }

    private fun counter(name: String, description: String, tags: Tags): Counter =
        group.add(Counter.builder(name).description(description).tags(tags).register(group.registry))

    private fun timer(name: String, description: String): Timer {
        val builder = Timer.builder(name).description(description)
        if (histograms) builder.serviceLevelObjectives(*DELAY_BUCKETS)
        return group.add(builder.tags(tags).register(group.registry))
    }

    private companion object {
        const val SUCCESS = "success"
        const val FAILURE = "failure"
        const val CANCELLED = "cancelled"

        /** Success is no giving up, and neither is cancellation. */
        val GIVE_UPS = StopReason.entries - StopReason.SUCCESS - StopReason.CANCELLED

        /** Few policies allow more than ten attempts; more show in the maximum. */
        val ATTEMPT_BUCKETS = doubleArrayOf(1.0, 2.0, 3.0, 4.0, 5.0, 10.0)

        /** From the base of standard mode, 50 ms, to its cap, 20 s, doubling or nearly so. */
        val DELAY_BUCKETS =
            longArrayOf(50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000).map(Duration::ofMillis).toTypedArray()
    }
}
