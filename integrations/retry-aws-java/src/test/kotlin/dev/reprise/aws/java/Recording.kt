package dev.reprise.aws.java

import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.retries.StandardRetryStrategy
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.AcquireInitialTokenResponse
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CopyOnWriteArrayList

/** Notes the delays that [strategy] hands out, and hands out none: the SDK then has nothing to wait for. */
class Recording(private val strategy: RetryStrategy) : RetryStrategy by strategy {
    val delays: MutableList<Duration> = CopyOnWriteArrayList()

    override fun acquireInitialToken(request: AcquireInitialTokenRequest): AcquireInitialTokenResponse =
        strategy.acquireInitialToken(request).also { if (!it.delay().isZero) delays += it.delay() }

    override fun refreshRetryToken(request: RefreshRetryTokenRequest): RefreshRetryTokenResponse = try {
        noted(strategy.refreshRetryToken(request))
    } catch (e: TokenAcquisitionFailedException) {
        throw noted(e)
    }

    override fun refreshRetryTokenAsync(
        request: RefreshRetryTokenRequest,
    ): CompletableFuture<RefreshRetryTokenResponse> = strategy.refreshRetryTokenAsync(request).handle { response, e ->
        val failure = if (e is CompletionException) e.cause else e
        if (failure == null) noted(response) else throw CompletionException(noted(failure))
    }

    private fun noted(response: RefreshRetryTokenResponse): RefreshRetryTokenResponse {
        delays += response.delay()
        return RefreshRetryTokenResponse.create(response.token(), Duration.ZERO)
    }

    private fun noted(e: Throwable): Throwable {
        if (e !is TokenAcquisitionFailedException || e.delay().isEmpty) return e
        delays += e.delay().get()
        return TokenAcquisitionFailedException(e.message, e.token(), e.cause, Duration.ZERO)
    }

    override fun maxAttempts(): Int = strategy.maxAttempts()

    override fun toBuilder(): StandardRetryStrategy.Builder = throw UnsupportedOperationException()

    companion object {
        /** [plugin], or [strategy] alone, with a recording in between; the recordings made are put into [into]. */
        fun of(strategy: RepriseRetryStrategy, withHooks: Boolean, into: MutableList<Recording>): SdkPlugin =
            SdkPlugin { config ->
                if (withHooks) strategy.plugin().configureClient(config)
                val inner = if (withHooks) config.overrideConfiguration().retryStrategy().get() else strategy
                val recording = Recording(inner).also(into::add)
                config.overrideConfiguration { it.retryStrategy(recording) }
            }
    }
}
