package dev.reprise.coroutines

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.totalDelayNanos
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import kotlin.random.Random

private const val CALLS = 100_000

class CountersTest :
    FunSpec({
        test("counters of events agree with the traces and outcomes of 100000 random calls") {
            val random = Random(8)
            val counted = Totals()
            val told = Totals()
            var now = 0L
            val policy = RetryPolicy {
                maxAttempts = 4
                onFailure { if (it is IllegalStateException) Verdict.Reject else null }
                onResult { if (it == "pending") Verdict.THROTTLING else null }
            }
            val retrier =
                Retrier.builder(policy).quota(RetryQuota(500)).listener(Counting(counted)).clock {
                    now
                }.draws { random.nextDouble() }.waiter {
                    if (random.nextInt(50) == 0) {
                        throw CancellationException("in a wait")
                    } else {
                        now += it.inWholeNanoseconds
                    }
                }.build()
            repeat(CALLS) {
                // Long spells of trouble, so that the quota runs empty now and then.
                val trouble = if (it / 1_000 % 2 == 0) 0.05 else 0.7
                var attempts = 0
                try {
                    val outcome = retrier.outcome {
                        attempts++
                        when {
                            random.nextDouble() > trouble -> "up"
                            random.nextInt(20) == 0 -> error("final")
                            random.nextInt(20) == 0 -> throw CancellationException("in an attempt")
                            random.nextInt(3) == 0 -> "pending"
                            else -> throw IOException()
                        }
                    }
                    check(outcome.attempts == attempts) { "$outcome, but $attempts attempts were made" }
                    told.add(outcome)
                } catch (_: CancellationException) {
                    told.ends.merge(StopReason.CANCELLED, 1, Int::plus)
                    told.attempts += attempts
                    told.cancelledRetries += attempts - 1
                }
            }
            told.ends.values.sum() shouldBe CALLS
            told.ends.keys shouldBe setOf(
                StopReason.SUCCESS,
                StopReason.ATTEMPTS,
                StopReason.QUOTA,
                StopReason.REJECTED,
                StopReason.CANCELLED,
            )
            counted.calls shouldBe CALLS
            counted.ends shouldBe told.ends
            counted.attempts shouldBe told.attempts
            counted.scheduled - counted.abandoned shouldBe told.retries + told.cancelledRetries
            counted.delayNanos shouldBe told.delayNanos
            500 - counted.tokens shouldBe retrier.quota.shouldNotBeNull().available
            counted.abandoned shouldBeGreaterThan 0
        }
    })

/** What many calls came to. */
private class Totals {
    val ends = mutableMapOf<StopReason, Int>()
    var calls = 0
    var attempts = 0
    var retries = 0
    var cancelledRetries = 0
    var scheduled = 0
    var abandoned = 0
    var tokens = 0
    var delayNanos = 0L

    fun add(outcome: RetryOutcome<*>) {
        ends.merge(outcome.reason, 1, Int::plus)
        attempts += outcome.attempts
        retries += outcome.attempts - 1
        delayNanos += outcome.totalDelayNanos
        val trace = outcome.trace
        val failed = outcome.attempts - if (outcome.reason == StopReason.SUCCESS) 1 else 0
        val agrees =
            if (trace == null) {
                failed == 0
            } else {
                trace.attempts == outcome.attempts &&
                    trace.reason == outcome.reason &&
                    trace.totalDelay == outcome.totalDelay &&
                    trace.failures.sumOf { it.delay.inWholeNanoseconds } == outcome.totalDelayNanos &&
                    trace.failures.size == failed &&
                    (outcome !is RetryOutcome.Failure || RetryTrace.of(outcome.failure) === trace)
            }
        check(agrees) { "$outcome, but its trace says $trace" }
    }
}

private class Counting(private val totals: Totals) : RetryEventListener {
    private val waiting = ConcurrentHashMap.newKeySet<Long>()

    override fun onCallStarted(event: RetryEvent.CallStarted) {
        totals.calls++
    }

    override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
        totals.attempts++
        waiting -= event.callId
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
        totals.scheduled++
        if (event.delayNanos > 0) waiting += event.callId
    }

    override fun onQuotaTaken(event: RetryEvent.QuotaTaken) {
        totals.tokens += event.tokens
    }

    override fun onQuotaRefunded(event: RetryEvent.QuotaRefunded) {
        totals.tokens -= event.tokens
    }

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded) = end(StopReason.SUCCESS, event.totalDelayNanos)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) = end(event.reason, event.totalDelayNanos)

    override fun onCallCancelled(event: RetryEvent.CallCancelled) {
        if (waiting.remove(event.callId)) totals.abandoned++
        end(StopReason.CANCELLED, 0)
    }

    private fun end(reason: StopReason, delayNanos: Long) {
        totals.ends.merge(reason, 1, Int::plus)
        totals.delayNanos += delayNanos
    }
}
