package dev.reprise.samples.matrix

import dev.reprise.core.CallOptionsBuilder
import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierBuilder
import dev.reprise.coroutines.shell.Waiter
import kotlinx.coroutines.delay

/** What is in a builder can be read back, and each property be set. As [KotlinMatrix]. */
@Suppress("unused")
internal object KotlinMatrixBuilders {
    fun read(made: RetryPolicyBuilder) = listOf(
        made.maxAttempts, made.backoff, made.classifier, made.serverDelays, made.quota, made.sendRate, made.onNoPermit,
        made.deadline, made.attemptTimeout, made.attemptTimeouts, made.onBadResult, made.longPollingDelay, made.trace,
        made.stopAfter,
    )

    fun read(made: CallOptionsBuilder) = listOf(made.deadline, made.longPolling, made.operation, made.repeat)

    fun read(made: RetrierBuilder) = listOf(
        made.clock,
        made.deadlines,
        made.draws,
        made.policy,
        made.quota,
        made.sendRate,
        made.waiter,
    )

    fun steadyQuota() = SteadyQuotaSettings {
        capacity(500)
        cost(14)
        throttlingCost(14)
        timeoutCost(14)
        firstTryRefund(2)
        reserveRefund(1)
        leastCapacity(41)
        seconds(5.0)
        operationShare(0.5)
        operations(64)
    }

    fun ratioQuota() = RatioQuotaSettings {
        percent(20)
        perSecond(10)
        windowSeconds(10)
    }

    fun retrier() = Retrier {
        policy = RetryPolicy.STANDARD
        quota = RetryQuota(100)
        sendRate = SendRate(SendRateSettings.EXACT, 0)
        clock = Retrier.SYSTEM_CLOCK
        clock = NanoClock { System.nanoTime() }
        draws = Retrier.SYSTEM_DRAWS
        waiter = Waiter { delay(it) }
        waiter = Waiter.DELAY
        deadlines = DeadlineSource { null }
    }
}
