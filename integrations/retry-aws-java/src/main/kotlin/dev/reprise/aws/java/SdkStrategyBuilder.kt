package dev.reprise.aws.java

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RetryStrategy
import java.util.function.Function
import java.util.function.Predicate

/**
 * The SDK's own builder over a strategy of ours. Its settings change the policies; quota and send rate stay shared, as
 * the SDK's own strategies share theirs. Built without a change it gives the same retriers. Not thread-safe.
 */
internal abstract class SdkStrategyBuilder<B : RetryStrategy.Builder<B, T>, T : RetryStrategy>(
    val from: RepriseRetryStrategy,
) : RetryStrategy.Builder<B, T> {
    private val changes = mutableListOf<(RetryPolicy) -> RetryPolicy>()
    private val retried = mutableListOf<Predicate<Throwable>>()
    private var throttles: Predicate<Throwable>? = null
    private var isFree = false
    private var backoff: BackoffStrategy? = null
    private var throttlingBackoff: BackoffStrategy? = null

    protected var usesClientDefaults: Boolean = from.useClientDefaults()
        private set

    /** Also retries failures for which [shouldRetry] is true. */
    override fun retryOnException(shouldRetry: Predicate<Throwable>): B = self { retried += shouldRetry }

    override fun maxAttempts(maxAttempts: Int): B =
        self { changes += { it.toBuilder().maxAttempts(maxAttempts).build() } }

    override fun backoffStrategy(backoffStrategy: BackoffStrategy): B = self { backoff = backoffStrategy }

    override fun throttlingBackoffStrategy(throttlingBackoffStrategy: BackoffStrategy): B =
        self { throttlingBackoff = throttlingBackoffStrategy }

    /** Lets [treatAsThrottling] alone decide which failures are throttles. */
    override fun treatAsThrottling(treatAsThrottling: Predicate<Throwable>): B = self { throttles = treatAsThrottling }

    override fun useClientDefaults(useClientDefaults: Boolean): B = self { usesClientDefaults = useClientDefaults }

    /** Makes retries free if [enabled] is false. */
    protected fun paysFor(enabled: Boolean?): B = self { isFree = enabled == false }

    /** The retriers under the policies as they were set. */
    protected fun changed(): Retriers {
        val all = changes.toMutableList()
        if (isFree) all += { it.toBuilder().noQuota().build() }
        if (retried.isNotEmpty() || throttles != null) all += ruled(retried.toList(), throttles)
        if (backoff != null || throttlingBackoff != null) all += backedOff(backoff, throttlingBackoff)
        if (all.isEmpty()) return from.retriers
        return from.retriers.with { all.fold(it) { policy, next -> next(policy) } }
    }

    private fun ruled(retried: List<Predicate<Throwable>>, throttles: Predicate<Throwable>?) = { policy: RetryPolicy ->
        policy.toBuilder().classifier(SdkRules(policy.classifier, retried, throttles)).build()
    }

    private fun backedOff(transient: BackoffStrategy?, throttling: BackoffStrategy?) = { policy: RetryPolicy ->
        val own = policy.backoff
        policy.toBuilder().backoff(Backoff.perKind(transient?.let(::of) ?: own, throttling?.let(::of) ?: own)).build()
    }

    /** The SDK's [strategy] draws for itself, and is asked with the number of the attempt that comes next. */
    private fun of(strategy: BackoffStrategy): Backoff =
        Backoff.custom(Function { strategy.computeDelay(minOf(it.retryIndex, Int.MAX_VALUE - 2) + 2) })

    @Suppress("UNCHECKED_CAST")
    private inline fun self(change: () -> Unit): B {
        change()
        return this as B
    }
}
