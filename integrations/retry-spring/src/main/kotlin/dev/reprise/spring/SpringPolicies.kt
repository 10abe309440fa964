package dev.reprise.spring

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.NextRetry
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import org.springframework.util.backoff.BackOff
import org.springframework.util.backoff.ExponentialBackOff
import org.springframework.util.backoff.FixedBackOff
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import org.springframework.core.retry.RetryPolicy as SpringPolicy

/** Translates Spring Framework's retry policies. Conditions, attempts and waits stay the same; a quota is added. */
internal object SpringPolicies {
    /** A call with more retries goes on waiting as long. So many steps take less than a millisecond. */
    private const val MOST_STEPS = 100_000

    fun translated(policy: SpringPolicy): RetryPolicy = SpringErrors.addedTo(
        RetryPolicy {
            val backOff = policy.backOff
            maxAttempts = minOf(retriesOf(backOff), Int.MAX_VALUE - 1L).toInt() + 1
            backoff = translated(backOff)
            policy.timeout.takeIf { it > Duration.ZERO }?.let { stopAfter(it) }
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

    private fun translated(backOff: BackOff): Backoff =
        if (backOff is FixedBackOff) Backoff.fixed(backOff.interval.milliseconds) else Backoff.custom(Steps(backOff))

    /** The waits of [backOff], each by an execution of its own: this is shared by all calls. */
    private class Steps(private val backOff: BackOff) : (NextRetry) -> kotlin.time.Duration? {
        override fun invoke(next: NextRetry): kotlin.time.Duration? {
            val execution = backOff.start()
            repeat(minOf(next.retryIndex, MOST_STEPS)) { execution.nextBackOff() }
            return execution.nextBackOff().takeIf { it >= 0 }?.milliseconds
        }

        override fun toString() = "$backOff"
    }
}
