package dev.reprise.spring

import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.backoff.Jitter
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.Verdict
import org.springframework.util.backoff.BackOff
import org.springframework.util.backoff.ExponentialBackOff
import org.springframework.util.backoff.FixedBackOff
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import org.springframework.core.retry.RetryPolicy as SpringPolicy

/** Translates Spring Framework's retry policies. Conditions, attempts and waits stay the same; a quota is added. */
internal object SpringPolicies {
    private const val MOST_STEPS = 10_000

    fun translated(policy: SpringPolicy): RetryPolicy = SpringErrors.addedTo(
        RetryPolicy {
            val backOff = policy.backOff
            maxAttempts = minOf(retriesOf(backOff), Int.MAX_VALUE - 1L).toInt() + 1
            backoff = translated(backOff)
            policy.timeout.takeIf { it > Duration.ZERO }?.let { deadline(it) }
            classifier = Classifier.failures {
                if (policy.shouldRetry(it)) Verdict.Retry(FailureKind.TRANSIENT, "Spring's policy") else Verdict.Reject
            }
            honourRetryAfter(Duration.ofMinutes(1))
        },
    )

    private fun retriesOf(backOff: BackOff): Long = when (backOff) {
        is FixedBackOff -> backOff.maxAttempts
        is ExponentialBackOff -> backOff.maxAttempts
        else -> Long.MAX_VALUE
    }

    private fun translated(backOff: BackOff): Backoff = when {
        backOff is FixedBackOff -> Backoff.fixed(Duration.ofMillis(backOff.interval))

        backOff is ExponentialBackOff && backOff.jitter == 0L && backOff.multiplier > 1 -> Backoff.exponential(
            Duration.ofMillis(backOff.initialInterval),
            Duration.ofMillis(backOff.maxInterval),
            backOff.multiplier,
            Jitter.NONE,
        )

        else -> Backoff.custom { next -> delayOf(backOff, next.retryIndex)?.milliseconds }
    }

    /** The delay before a retry in milliseconds, by an execution of its own: the function is shared by all calls. */
    private fun delayOf(backOff: BackOff, retryIndex: Int): Long? {
        val execution = backOff.start()
        var delay = execution.nextBackOff()
        repeat(minOf(retryIndex, MOST_STEPS)) { delay = execution.nextBackOff() }
        return delay.takeIf { it >= 0 }
    }
}
