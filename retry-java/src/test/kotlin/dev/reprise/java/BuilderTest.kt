package dev.reprise.java

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Jitter
import dev.reprise.core.NoPermit
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import io.kotest.property.Arb
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class BuilderTest :
    FunSpec({
        test("a policy that Java's builder makes equals the one that Kotlin's makes of the same settings") {
            checkAll(Arb.int(1..9), Arb.int(1..90_000), Arb.enum<Jitter>(), Arb.enum<OnBadResult>()) {
                    n,
                    ms,
                    jitter,
                    bad,
                ->
                val kotlin = RetryPolicy {
                    maxAttempts = n
                    backoff =
                        Backoff.exponential(base = ms.milliseconds, factor = 1.5, cap = 90.seconds, jitter = jitter)
                    quota = TokenBucketSettings.builder().capacity(n).cost(n).build()
                    sendRate = SendRateSettings.EXACT
                    onNoPermit = NoPermit.waitAtMost(ms.milliseconds)
                    deadline = (ms * 2).milliseconds
                    attemptTimeout = ms.milliseconds
                    onBadResult = bad
                    longPollingDelay = false
                    trace = false
                    honourRetryAfter(ms.milliseconds)
                }
                val time = Duration.ofMillis(ms.toLong())
                val java = RetryPolicy.builder()
                    .maxAttempts(n)
                    .backoff(Backoff.exponential(time, Duration.ofSeconds(90), 1.5, jitter))
                    .quota(TokenBucketSettings.builder().capacity(n).cost(n).build())
                    .sendRate(SendRateSettings.EXACT)
                    .onNoPermit(NoPermit.waitAtMost(time))
                    .deadline(time.multipliedBy(2))
                    .attemptTimeout(time)
                    .onBadResult(bad)
                    .longPollingDelay(false)
                    .trace(false)
                    .honourRetryAfter(time)
                    .build()

                java shouldBe kotlin
                "$java" shouldBe "$kotlin"
            }
        }

        test("a name is that of the retrier which Kotlin shares") {
            val java = JavaRetrier.builder().name("users").build()
            java.retrier().name shouldBe "users"
            java.with(RetryPolicy.NONE).withOptions(CallOptions("get")).retrier().name shouldBe "users"
            "$java" shouldStartWith "JavaRetrier(users, RetryPolicy("
        }
    })
