package dev.reprise.samples.matrix

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.BadResultException
import dev.reprise.core.CallOptions
import dev.reprise.core.LoggingListener
import dev.reprise.core.Polling
import dev.reprise.core.Repeat
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.clock.ServerClock
import java.io.IOException
import java.time.Clock
import java.time.ZoneOffset
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** Calls, and what they tell. As [KotlinMatrix]. */
@Suppress("unused", "UNUSED_VARIABLE", "UNUSED_EXPRESSION")
internal object KotlinMatrixCalls {
    fun calls(attempt: Attempt, outcome: RetryOutcome<String>, trace: RetryTrace): List<Any?> {
        val options = CallOptions {
            operation = "users.get"
            repeat = Repeat.IF_UNSENT
            longPolling = true
            deadline = 3.seconds
        }.with { }.toBuilder().build()
        val said =
            listOf(
                options.operation,
                options.repeat,
                options.longPolling,
                options.deadline,
                CallOptions("users.get"),
                CallOptions.named("a"),
                CallOptions.DEFAULT,
            )
        val polling = Polling.every(1.seconds, deadline = 1.minutes).growingTo(10.seconds)
        val ends = when (outcome) {
            is RetryOutcome.Success -> outcome.value
            is RetryOutcome.BadResult -> outcome.value
            is RetryOutcome.Failure -> outcome.failure.message
        }
        val lines = trace.failures.map { "${it.number} ${it.what} ${it.delay}" }
        val stopped: RetryStoppedException = BadResultException("bad", 3, StopReason.ATTEMPTS)
        val timeout = { e: AttemptTimeoutException -> "${e.attempt} ${e.timeout} ${e.failureKind}" }
        return listOf(
            attempt.number, attempt.isCopy, attempt.isLast, attempt.lastFailure, attempt.timeLeft, attempt.callId,
            outcome.attempts,
            outcome.totalDelay,
            outcome.reason, outcome.trace, outcome.getOrThrow(), trace.attempts, trace.reason,
            trace.totalDelay, trace.elapsed,
            RetryTrace.of(
                IOException(),
            ),
            trace.retrier, trace.detail, stopped.attempts, stopped.reason, (stopped as BadResultException).result,
            said, polling, ends, lines, timeout,
        )
    }

    class Listening : RetryEventListener {
        var said: List<Any?> = emptyList()

        override fun onCallStarted(event: RetryEvent.CallStarted) {
            said +=
                listOf(
                    event.callId,
                    event.retrier,
                    event.operation,
                    event.atNanos,
                    event.httpMethod,
                    event.serverAddress,
                )
        }

        override fun onPermitWaited(event: RetryEvent.PermitWaited) {
            said += event.wait
        }

        override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
            said += event.attempt
        }

        override fun onAttemptFailed(event: RetryEvent.AttemptFailed) {
            said += listOf(event.attempt, event.failure, event.result, event.verdict)
        }

        override fun onUnitJudged(event: RetryEvent.UnitJudged) {
            said += event.attempt
        }

        override fun onServerDelayIgnored(event: RetryEvent.ServerDelayIgnored) {
            said += event.header
        }

        override fun onQuotaTaken(event: RetryEvent.QuotaTaken) {
            said += listOf(event.tokens, event.available, event.capacity)
        }

        override fun onQuotaRefused(event: RetryEvent.QuotaRefused) {
            said +=
                listOf(event.tokens, event.available, event.capacity, event.operationAvailable, event.isOperationShare)
        }

        override fun onQuotaRefunded(event: RetryEvent.QuotaRefunded) {
            said += listOf(event.tokens, event.available, event.capacity)
        }

        override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
            said +=
                listOf(
                    event.attempt,
                    event.kind,
                    event.delay,
                    event.ceiling,
                    event.backoff,
                    event.serverDelay,
                    event.isClamped,
                )
        }

        override fun onCallSucceeded(event: RetryEvent.CallSucceeded) {
            said += listOf(event.attempts, event.totalDelay, event.result)
        }

        override fun onCallGaveUp(event: RetryEvent.CallGaveUp) {
            said += listOf(event.attempts, event.totalDelay, event.reason, event.lastDelay)
        }

        override fun onCallCancelled(event: RetryEvent.CallCancelled) {
            said += event.attempts
        }
    }

    suspend fun retriers(): List<Any?> {
        val clock = ServerClock(Clock.systemUTC())
        val metrics = LoggingListener(redact = true) { level, line -> println("$level ${line.get()}") }
        val retrier = Retrier(RetryPolicy.STANDARD) {
            quota = null
            listener(clock)
            listeners(listOf(metrics, Listening(), LoggingListener()))
        }
        val retriers = RetrierCache<String, Retrier>(capacity = 100) { Retrier() }
        val times = listOf(clock.offset, clock.withZone(ZoneOffset.UTC).instant(), clock.zone)
        return listOf(
            retrier {
                it.number
            },
            retriers["host"],
            retriers.size,
            retriers.values(),
            retriers.capacity,
            times,
        )
    }
}
