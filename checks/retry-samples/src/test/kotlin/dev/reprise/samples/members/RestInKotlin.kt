@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples.members

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.CallOptionsBuilder
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.Hedge
import dev.reprise.core.Jitter
import dev.reprise.core.LoggingListener
import dev.reprise.core.Polling
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.http.HttpRetrySettings
import dev.reprise.coroutines.CallDeadline
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierBuilder
import dev.reprise.coroutines.pollOutcome
import dev.reprise.coroutines.retry
import dev.reprise.coroutines.shell.Waiter
import kotlin.time.Duration.Companion.seconds

/** Members that no other test calls, as a user in Kotlin writes them. They compile, that is all; nothing here is a good example. */
@Suppress("unused")
internal object RestInKotlin {
    fun policy(policy: RetryPolicy) = listOf(policy.attemptTimeout, policy.honourShouldRetry, policy.whenRetriedBelow)

    fun policy(made: RetryPolicyBuilder) = listOf(
        made.attemptTimeout,
        made.attemptTimeouts,
        made.deadline,
        made.hedge,
        made.honourShouldRetry,
        made.longPollingDelay,
        made.onBadResult,
        made.onNoPermit,
        made.quota,
        made.serverDelays,
        made.stopAfter,
        made.trace,
        made.whenRetriedBelow,
    )

    fun settings(quota: QuotaSettings, steady: SteadyQuotaSettings, rate: SendRateSettings, hedge: Hedge) = listOf(
        quota.charge,
        steady.reserveRefund,
        rate.hints,
        hedge.maxExtraLoad,
        RatioQuotaSettings.FINAGLE.perSecond,
        Backoff.linear(1.seconds, 1.seconds, 9.seconds, Jitter.EQUAL),
        Jitter.FULL_MILLIS_INCLUSIVE,
        Jitter.FULL_TRUNCATED_MILLIS,
        LoggingListener(redact = false),
    )

    fun options(made: CallOptionsBuilder) = made.deadline

    fun http(of: HttpRetrySettings<*>) =
        of.maxHosts(9).meshRetries(true).numberRetries(true).amzHeaders(true).idempotencyKeys(setOf("a"))

    fun answers(statuses: Statuses, asked: ServerDelay, rule: ServerDelayRule) = listOf(
        500 in statuses,
        asked.rule,
        rule.on(statuses),
        Crc32Check().header,
    )

    fun told(event: RetryEvent): List<Any?> = when (event) {
        is RetryEvent.AttemptFailed -> listOf(event.attempt, event.failure, event.verdict)
        is RetryEvent.CallGaveUp -> listOf(event.lastDelay, event.totalDelay, event.advice)
        is RetryEvent.CallSucceeded -> listOf(event.totalDelay, event.result)
        is RetryEvent.PermitWaited -> listOf(event.wait)
        is RetryEvent.QuotaRefunded -> listOf(event.capacity)
        is RetryEvent.QuotaRefused -> listOf(event.capacity)
        is RetryEvent.RetryScheduled -> listOf(event.attempt, event.backoff, event.kind, event.isClamped)
        is RetryEvent.ServerDelayIgnored -> listOf(event.header)
        else -> emptyList()
    }

    fun retrier() = Retrier(RetryPolicy.STANDARD) {
        policy = policy.with { maxAttempts = 2 }
        draws = draws
        waiter = Waiter.DELAY
    }

    fun retrier(made: RetrierBuilder) = made.clock

    suspend fun calls(retrier: Retrier, polling: Polling, options: CallOptions): List<Any?> = listOf(
        retrier.pollOutcome(polling, options, { it == "done" }) { "done" },
        retry(RetryPolicy.STANDARD, options) { 1 },
    )

    fun ends(deadline: CallDeadline, timeout: AttemptTimeoutException) = listOf(deadline.at, timeout.failureKind)
}
