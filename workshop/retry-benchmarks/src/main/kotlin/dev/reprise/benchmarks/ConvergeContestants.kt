package dev.reprise.benchmarks

import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy
import com.netflix.concurrency.limits.limit.Gradient2Limit
import com.netflix.concurrency.limits.limiter.SimpleLimiter
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletionException
import kotlin.concurrent.thread
import aws.smithy.kotlin.runtime.retries.AdaptiveRetryStrategy as SmithyStrategy
import software.amazon.awssdk.retries.AdaptiveRetryStrategy as AwsStrategy

/** Callers that are coroutines. */
abstract class SuspendContestant : Contestant {
    /** One call with its retries. */
    abstract suspend fun call(server: RealServer)

    override fun start(callers: Int, server: RealServer, onSuccess: (Int) -> Unit): AutoCloseable {
        val scope = CoroutineScope(Dispatchers.Default)
        repeat(callers) { caller ->
            scope.launch {
                while (isActive) {
                    val isServed =
                        try {
                            call(server)
                            true
                        } catch (_: Throttled) {
                            false
                        }
                    if (isServed) onSuccess(caller)
                }
            }
        }
        return AutoCloseable { scope.cancel() }
    }

    protected suspend fun ask(server: RealServer) {
        val admits = server.admits()
        delay(server.latencyMillis())
        if (!admits) throw Throttled()
    }
}

class OurContestant(preset: String) : SuspendContestant() {
    private val retrier =
        Retrier(Presets.named(preset).with { onFailure { if (it is Throttled) Verdict.THROTTLING else null } })

    override suspend fun call(server: RealServer) = retrier { ask(server) }
}

/**
 * Standard mode's delays, and Netflix's limit of requests in flight: it refuses requests beyond the limit before they
 * are sent.
 */
class NetflixContestant : SuspendContestant() {
    private val limiter = SimpleLimiter.newBuilder().limit(Gradient2Limit.newDefault()).build<Unit>()
    private val retrier = Retrier(
        Presets.named("standard-2.1").with {
            quota = null
            onFailure { if (it is Throttled) Verdict.THROTTLING else null }
        },
    )

    override suspend fun call(server: RealServer) = retrier {
        val place = limiter.acquire(Unit).orElseThrow { Throttled() }
        try {
            ask(server)
        } catch (e: Throttled) {
            place.onDropped()
            throw e
        } catch (e: CancellationException) {
            place.onIgnore()
            throw e
        }
        place.onSuccess()
    }
}

/** smithy-kotlin's adaptive strategy as it comes. */
class SmithyContestant : SuspendContestant() {
    private val strategy = SmithyStrategy { maxAttempts = ATTEMPTS }

    private val policy =
        object : RetryPolicy<Unit> {
            override fun evaluate(result: Result<Unit>) = if (result.isSuccess) {
                RetryDirective.TerminateAndSucceed
            } else {
                RetryDirective.RetryError(RetryErrorType.Throttling)
            }
        }

    override suspend fun call(server: RealServer) {
        try {
            strategy.retry(policy) { ask(server) }
        } catch (e: aws.smithy.kotlin.runtime.retries.RetryException) {
            throw Throttled().apply { addSuppressed(e) }
        }
    }
}

/** The AWS SDK for Java's adaptive strategy with the delays that its clients have. Callers are threads. */
class AwsContestant : Contestant {
    private val strategy =
        AwsStrategy
            .builder()
            .maxAttempts(ATTEMPTS)
            .backoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(100), CAP))
            .throttlingBackoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofSeconds(1), CAP))
            .retryOnException(Throttled::class.java)
            .treatAsThrottling { it is Throttled }
            .build()

    override fun start(callers: Int, server: RealServer, onSuccess: (Int) -> Unit): AutoCloseable {
        val threads =
            List(callers) { caller ->
                thread(isDaemon = true) {
                    try {
                        while (true) if (call(server)) onSuccess(caller)
                    } catch (_: InterruptedException) {
                        return@thread
                    } catch (e: CompletionException) {
                        // As the strategy says it where it waits for a permit itself.
                        if (e.cause !is InterruptedException) throw e
                    }
                }
            }
        return AutoCloseable { threads.forEach(Thread::interrupt) }
    }

    private fun call(server: RealServer): Boolean {
        val initial = strategy.acquireInitialToken(AcquireInitialTokenRequest.create("scope"))
        var token = initial.token()
        sleep(initial.delay())
        while (true) {
            val admits = server.admits()
            Thread.sleep(server.latencyMillis())
            if (admits) {
                strategy.recordSuccess(RecordSuccessRequest.create(token))
                return true
            }
            val next =
                try {
                    val request = RefreshRetryTokenRequest.builder().token(token).failure(Throttled()).build()
                    strategy.refreshRetryToken(request)
                } catch (_: TokenAcquisitionFailedException) {
                    return false
                }
            token = next.token()
            sleep(next.delay())
        }
    }

    private fun sleep(delay: Duration) {
        if (!delay.isZero) Thread.sleep(delay.toMillis(), delay.nano % 1_000_000)
    }

    private companion object {
        val CAP: Duration = Duration.ofSeconds(20)
    }
}
