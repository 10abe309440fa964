package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.RetryMode
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.retries.AdaptiveRetryStrategy
import software.amazon.awssdk.retries.DefaultRetryStrategy
import software.amazon.awssdk.retries.LegacyRetryStrategy
import software.amazon.awssdk.retries.StandardRetryStrategy
import software.amazon.awssdk.retries.api.BackoffStrategy
import software.amazon.awssdk.retries.api.RetryStrategy
import java.io.IOException
import java.time.Duration

private fun RetryStrategy.changed(change: (RetryStrategy.Builder<*, *>) -> Unit): RepriseRetryStrategy =
    toBuilder().also(change).build() as RepriseRetryStrategy

class SdkBuilderTest :
    FunSpec({
        val odd = SdkClientException.create("odd")

        test("built without a change it shares everything, also a policy that is replaced later") {
            val strategy = RepriseRetryStrategy.standard()
            val same = strategy.changed { }
            strategy.update(RetryPolicy { maxAttempts = 7 })
            same.maxAttempts() shouldBe 7
            same.useClientDefaults() shouldBe false
            strategy.changed { it.useClientDefaults(true) }.useClientDefaults() shouldBe true
        }

        test("the number of attempts changes for every service, and the quota stays shared") {
            val strategy = RepriseRetryStrategy.standard()
            val more = strategy.changed { it.maxAttempts(6) }
            more.forService("dynamodb").maxAttempts() shouldBe 6
            more.play(List(9) { serviceFailure(500, service = "DynamoDb") }).attempts shouldBe 6
            strategy.retrier().retrier().quota!!.available shouldBe 500 - 5 * 14
            strategy.maxAttempts() shouldBe 3
        }

        test("a retrier's view with options is refused, since the SDK's calls have their own") {
            val view = JavaRetrier.of(RetryPolicy.STANDARD).withOptions(CallOptions("read"))
            shouldThrow<IllegalArgumentException> { RepriseRetryStrategy.builder().retrier(view) }.message shouldBe
                "retrier must be one without options, since the SDK's calls have their own: call(read)"
        }

        test("further exceptions are retried as transient ones") {
            RepriseRetryStrategy.standard().play(listOf(odd)).attempts shouldBe 1
            val more = RepriseRetryStrategy.standard().changed { it.retryOnException(SdkClientException::class.java) }
            more.play(listOf(odd)).attempts shouldBe 2
            more.retrier().retrier().quota!!.available shouldBe 500
            // What the tables know stays as they know it.
            more.play(List(3) { serviceFailure(400, "ThrottlingException") })
            more.retrier().retrier().quota!!.available shouldBe 490
            more.play(listOf(serviceFailure(400, "ValidationException"))).attempts shouldBe 1
        }

        test("the SDK's predicate alone says what is a throttle") {
            val none = RepriseRetryStrategy.standard().changed { it.treatAsThrottling { false } }
            none.play(List(3) { serviceFailure(400, "ThrottlingException") })
            none.retrier().retrier().quota!!.available shouldBe 472
            val all = RepriseRetryStrategy.standard().changed { it.treatAsThrottling { true } }
            all.play(List(3) { serviceFailure(500) })
            all.retrier().retrier().quota!!.available shouldBe 490
        }

        test("the SDK's backoffs are asked as the SDK asks them") {
            val asked = mutableListOf<Int>()
            val strategy = RepriseRetryStrategy.standard().changed {
                it.maxAttempts(4)
                it.backoffStrategy { attempt -> Duration.ofMillis(attempt.toLong()).also { asked += attempt } }
                it.throttlingBackoffStrategy(BackoffStrategy.fixedDelayWithoutJitter(Duration.ofSeconds(9)))
            }
            val failures = listOf(serviceFailure(500), serviceFailure(400, "SlowDown"), serviceFailure(500))
            strategy.play(failures).waits shouldBe listOf(2_000_000L, 9_000_000_000, 4_000_000)
            asked.distinct() shouldBe listOf(2, 4)
        }

        test("without its circuit breaker retries are free") {
            val builder = RepriseRetryStrategy.standard().toBuilder() as StandardRetryStrategy.Builder
            val free = builder.circuitBreakerEnabled(false).build() as RepriseRetryStrategy
            free.play(List(3) { serviceFailure(500) }).attempts shouldBe 3
            free.retrier().retrier().quota shouldBe null
        }

        test("what a builder is told last counts") {
            val builder = RepriseRetryStrategy.standard().toBuilder() as StandardRetryStrategy.Builder
            builder.circuitBreakerEnabled(false).maxAttempts(9).useClientDefaults(true)
            builder.circuitBreakerEnabled(true).maxAttempts(2).useClientDefaults(false)
            val strategy = builder.build() as RepriseRetryStrategy
            strategy.play(List(3) { serviceFailure(500) }).attempts shouldBe 2
            strategy.retrier().retrier().quota!!.available shouldBe 500 - 14
            strategy.useClientDefaults() shouldBe false
        }

        test("the type says the mode, as the SDK's own types do") {
            RepriseRetryStrategy.standard().shouldBeInstanceOf<StandardRetryStrategy>()
            RepriseRetryStrategy.adaptive().shouldBeInstanceOf<AdaptiveRetryStrategy>()
            RepriseRetryStrategy.named("java-v2-legacy").shouldBeInstanceOf<LegacyRetryStrategy>()
            RepriseRetryStrategy.named("java-v2-legacy").forService("s3").shouldBeInstanceOf<LegacyRetryStrategy>()
            RepriseRetryStrategy.named("java-v2-legacy").changed { }.shouldBeInstanceOf<LegacyRetryStrategy>()
            RepriseRetryStrategy.adaptive().changed { it.maxAttempts(2) }.shouldBeInstanceOf<AdaptiveRetryStrategy>()
        }

        test("the environment's settings count, for each service") {
            val legacy = RepriseRetryStrategy.fromEnvironment(ConfigOverrides { retryMode(RetryMode.LEGACY) })
            legacy.shouldBeInstanceOf<LegacyRetryStrategy>()
            val adaptive = RepriseRetryStrategy.fromEnvironment(
                ConfigOverrides.builder().retryMode(RetryMode.ADAPTIVE).maxAttempts(5).build(),
            )
            adaptive.shouldBeInstanceOf<AdaptiveRetryStrategy>()
            adaptive.forService("dynamodb").maxAttempts() shouldBe 5
            val standard = RepriseRetryStrategy.fromEnvironment(ConfigOverrides { retryMode(RetryMode.STANDARD) })
            standard.forService("dynamodb").maxAttempts() shouldBe 4
            standard.maxAttempts() shouldBe 3
        }

        test("a token of another strategy, and a preset that is not there, are named") {
            val foreign = DefaultRetryStrategy.standardStrategyBuilder().build().begin()
            shouldThrow<IllegalArgumentException> {
                RepriseRetryStrategy.standard().refreshRetryToken(refresh(foreign, odd))
            }.message shouldContain "DefaultRetryToken"
            shouldThrow<IllegalArgumentException> { RepriseRetryStrategy.named("standrad") }.message shouldContain
                "standard-2.1"
        }

        test("an exception of the user's own rules ends the call with it") {
            val broken = IllegalStateException("mine")
            val strategy = RepriseRetryStrategy.of(RetryPolicy { onFailure { throw broken } })
            val token = strategy.begin()
            shouldThrow<IllegalStateException> {
                strategy.refreshRetryToken(refresh(token, transportFailure(IOException("io"))))
            } shouldBe broken
            strategy.retrier().retrier().quota!!.available shouldBe 500
        }
    })
