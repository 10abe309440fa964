package dev.reprise.benchmarks

import dev.failsafe.Failsafe
import dev.failsafe.FailsafeExecutor
import dev.failsafe.RetryPolicy
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.springframework.retry.support.RetryTemplate
import software.amazon.awssdk.retries.AdaptiveRetryStrategy
import software.amazon.awssdk.retries.StandardRetryStrategy
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException

/** Failsafe: three attempts, no delay; it has no quota. */
@State(Scope.Benchmark)
open class FailsafePeer {
    val executor: FailsafeExecutor<Any> =
        Failsafe.with(
            RetryPolicy
                .builder<Any>()
                .handle(Failure::class.java)
                .withMaxAttempts(ATTEMPTS)
                .build(),
        )
}

/** Spring Retry: three attempts, no delay; it has no quota. */
@State(Scope.Benchmark)
open class SpringPeer {
    val template: RetryTemplate =
        RetryTemplate
            .builder()
            .maxAttempts(ATTEMPTS)
            .noBackoff()
            .retryOn(Failure::class.java)
            .build()
}

/**
 * The AWS SDK for Java's strategies: three attempts, no delay, with its quota. Calls that give up would empty that, and then
 * make one attempt only, so they are made without it.
 */
@State(Scope.Benchmark)
open class AwsPeer {
    val standard: RetryStrategy = standard(hasQuota = true)

    val withoutQuota: RetryStrategy = standard(hasQuota = false)

    private fun standard(hasQuota: Boolean): RetryStrategy = StandardRetryStrategy
        .builder()
        .maxAttempts(ATTEMPTS)
        .circuitBreakerEnabled(hasQuota)
        .backoffStrategy(BackoffStrategy.retryImmediately())
        .throttlingBackoffStrategy(BackoffStrategy.retryImmediately())
        .retryOnException(Failure::class.java)
        .build()

    val adaptive: RetryStrategy =
        AdaptiveRetryStrategy
            .builder()
            .maxAttempts(ATTEMPTS)
            .backoffStrategy(BackoffStrategy.retryImmediately())
            .throttlingBackoffStrategy(BackoffStrategy.retryImmediately())
            .retryOnException(Failure::class.java)
            .treatAsThrottling { false }
            .build()

    /** The loop that its clients make around a strategy. */
    inline fun call(strategy: RetryStrategy, work: () -> Any): Any {
        var token = strategy.acquireInitialToken(AcquireInitialTokenRequest.create("scope")).token()
        while (true) {
            try {
                val answer = work()
                strategy.recordSuccess(RecordSuccessRequest.create(token))
                return answer
            } catch (e: Failure) {
                val request = RefreshRetryTokenRequest.builder().token(token).failure(e).build()
                token =
                    try {
                        strategy.refreshRetryToken(request).token()
                    } catch (_: TokenAcquisitionFailedException) {
                        throw e
                    }
            }
        }
    }
}
