package dev.reprise.micrometer

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.waitNanos
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
            val tags = tags.and("outcome", outcome, "retried", "$retried")
            counter("reprise.calls", "Calls that ended", tags)
        }
    }

    private val attempts = summary()
    private val clamped =
        counter("reprise.server.delay.clamped", "Retries that come sooner than the server asked for", tags)
    private val shareRefused =
        counter("reprise.quota.share.refused", "Retries that the operation's own share of the quota refused", tags)
    private val delay = timer("reprise.retry.delay", "Waits before retries")
    private val permitWait = timer("reprise.permit.wait", "Waits for a send permit")

    private val giveUps =
        GIVE_UPS.associateWithTo(EnumMap(StopReason::class.java)) {
            counter("reprise.give.ups", "Calls that gave up", tags.and("reason", it.word))
        }

    private val retries =
        FailureKind.entries.associateWithTo(EnumMap(FailureKind::class.java)) {
            counter("reprise.retries", "Retries", tags.and("kind", it.name.lowercase()))
        }

    // Made when they are first told of: most policies send no copies.
    private val hedges = ConcurrentHashMap<String, Counter>()

    fun hedge(result: String) = hedges.computeIfAbsent(result) {
        counter("reprise.hedges", "Copies of slow attempts", tags.and("result", it))
    }.increment()

    fun record(event: RetryEvent): Unit = when (event) {
        is RetryEvent.PermitWaited -> permitWait.record(event.waitNanos, TimeUnit.NANOSECONDS)

        is RetryEvent.HedgeStarted -> hedge("started")

        is RetryEvent.HedgeWon -> hedge("won")

        is RetryEvent.HedgeRefused -> hedge(event.reason.word)

        is RetryEvent.QuotaRefused -> if (event.isOperationShare) shareRefused.increment() else Unit

        is RetryEvent.RetryScheduled -> {
            retries.getValue(event.kind).increment()
            delay.record(event.delayNanos, TimeUnit.NANOSECONDS)
            if (event.isClamped) clamped.increment() else Unit
        }

        is RetryEvent.CallSucceeded -> ended(SUCCESS, event.attempts)

        is RetryEvent.CallGaveUp -> {
            ended(FAILURE, event.attempts)
            giveUps.getValue(event.reason).increment()
        }

        is RetryEvent.CallCancelled -> ended(CANCELLED, event.attempts)

        else -> Unit
    }

    private fun ended(outcome: String, attempts: Int) {
        calls.getValue(outcome)[if (attempts > 1) 1 else 0].increment()
        this.attempts.record(attempts.toDouble())
    }

    private fun summary(): DistributionSummary {
        val builder =
            DistributionSummary.builder("reprise.call.attempts").description("Attempts of each call that ended")
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
}

private const val SUCCESS = "success"
private const val FAILURE = "failure"
private const val CANCELLED = "cancelled"

/** Success is no giving up, and neither is cancellation. */
private val GIVE_UPS = StopReason.entries - StopReason.SUCCESS - StopReason.CANCELLED

/** Few policies allow more than ten attempts; more show in the maximum. */
private val ATTEMPT_BUCKETS = doubleArrayOf(1.0, 2.0, 3.0, 4.0, 5.0, 10.0)

/** From the base of standard mode, 50 ms, to its cap, 20 s, doubling or nearly so. */
private val DELAY_BUCKETS =
    longArrayOf(50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000).map(Duration::ofMillis).toTypedArray()
