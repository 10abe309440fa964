package dev.reprise.differential

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.presets.Presets
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RetryStrategy
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import software.amazon.awssdk.retries.internal.DefaultLegacyRetryStrategy
import software.amazon.awssdk.retries.internal.DefaultRetryToken
import software.amazon.awssdk.retries.internal.DefaultStandardRetryStrategy
import software.amazon.awssdk.retries.internal.circuitbreaker.TokenBucketStore
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import dev.reprise.core.RetryPolicy as ReprisePolicy
import software.amazon.awssdk.retries.LegacyRetryStrategy as SdkLegacy
import software.amazon.awssdk.retries.StandardRetryStrategy as SdkStandard

/** A strategy of the AWS SDK for Java v2, driven as its pipeline drives it. */
sealed class JavaV2(name: String, private val baseMillis: Long, private val throttlingBaseMillis: Long) :
    LivingSdk("AWS SDK for Java v2, $name") {
    protected abstract fun strategy(script: Script): RetryStrategy

    protected fun <B : RetryStrategy.Builder<B, *>> B.configured(script: Script): B = maxAttempts(script.maxAttempts)
        .retryOnException { (it as ScriptedFailure).fault != Fault.FINAL }
        .treatAsThrottling { (it as ScriptedFailure).fault == Fault.THROTTLING }
        .withoutJitter()

    fun <B : RetryStrategy.Builder<B, *>> B.withoutJitter(): B =
        backoffStrategy(backoff(baseMillis)).throttlingBackoffStrategy(backoff(throttlingBaseMillis))

    private fun backoff(millis: Long) =
        BackoffStrategy.exponentialDelayWithoutJitter(Duration.ofMillis(millis), Duration.ofSeconds(20))

    protected fun store(script: Script): TokenBucketStore =
        TokenBucketStore.builder().tokenBucketMaxCapacity(script.capacity).build()

    protected fun withoutJitter(preset: String): ReprisePolicy = Presets.named(preset).with {
        backoff = Backoff.exponential(
            baseMillis.milliseconds,
            throttlingBaseMillis.milliseconds,
            cap = 20.seconds,
            jitter = Jitter.NONE,
        )
    }

    override fun play(script: Script): List<End> {
        val strategy = strategy(script)
        return script.calls.map { play(it, strategy) }
    }

    private fun play(call: ScriptedCall, strategy: RetryStrategy): End {
        val waits = mutableListOf<Long>()
        fun waits(wait: Duration) {
            if (!wait.isZero) waits += wait.toNanos()
        }
        val first = strategy.acquireInitialToken(AcquireInitialTokenRequest.create("GLOBAL"))
        waits(first.delay())
        var token = first.token()
        var attempts = 0
        while (true) {
            try {
                call.steps[attempts++].play()
                val end = strategy.recordSuccess(RecordSuccessRequest.create(token)).token() as DefaultRetryToken
                return End(true, attempts, waits, end.capacityRemaining())
            } catch (e: ScriptedFailure) {
                try {
                    val request = RefreshRetryTokenRequest.builder()
                        .token(token)
                        .failure(e)
                        .isLongPolling(call.isLongPoll)
                    e.hintMillis?.let { request.suggestedDelay(Duration.ofMillis(it)) }
                    val next = strategy.refreshRetryToken(request.build())
                    waits(next.delay())
                    token = next.token()
                } catch (end: TokenAcquisitionFailedException) {
                    end.delay().ifPresent(::waits)
                    return End(false, attempts, waits, (end.token() as DefaultRetryToken).capacityRemaining())
                }
            }
        }
    }

    object Standard21 : JavaV2("standard 2.1", 50, 1000) {
        override val hints = listOf<Long?>(0, 1, 49, 50, 51, 777, 5_050, 60_000)
        override val hasLongPolls get() = true
        override val preset get() = withoutJitter("standard-2.1")

        override fun strategy(script: Script): RetryStrategy =
            (SdkStandard.builder(true).configured(script) as DefaultStandardRetryStrategy.Builder)
                .tokenBucketStore(store(script))
                .build()
    }

    object Standard : JavaV2("standard as shipped", 100, 1000) {
        override val hints = listOf<Long?>(0, 1_000, 2_000, 60_000)
        override val preset get() = withoutJitter("java-v2-standard")

        override fun strategy(script: Script): RetryStrategy =
            (SdkStandard.builder(false).configured(script) as DefaultStandardRetryStrategy.Builder)
                .tokenBucketStore(store(script))
                .build()
    }

    object Legacy : JavaV2("legacy", 100, 500) {
        override val hints = listOf<Long?>(0, 1_000, 2_000, 60_000)
        override val preset get() = withoutJitter("java-v2-legacy")

        override fun strategy(script: Script): RetryStrategy =
            (SdkLegacy.builder().configured(script) as DefaultLegacyRetryStrategy.Builder)
                .tokenBucketStore(store(script))
                .build()
    }
}
