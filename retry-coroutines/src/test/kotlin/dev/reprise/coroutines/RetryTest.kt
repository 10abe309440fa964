@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.Backoff
import dev.reprise.core.BadResultException
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.totalDelayNanos
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** A test in virtual time. */
internal fun FunSpec.virtual(name: String, block: suspend TestScope.() -> Unit) = test(name) { runTest { block() } }

/** A retrier in the virtual time of the test, whose draws are always the full ceiling. */
internal fun TestScope.retrier(
    policy: RetryPolicy = RetryPolicy.STANDARD,
    quota: RetryQuota? = policy.quota?.let { RetryQuota(it.capacity) },
) = Retrier.builder(policy).quota(quota).clock(testTimeSource.asNanoClock()).draws { 1.0 }.build()

class RetryTest :
    FunSpec({
        virtual("a failing call is repeated with the standard delays, in virtual time") {
            val retrier = retrier()
            val at = mutableListOf<Long>()
            val answer =
                retrier { attempt ->
                    at += currentTime
                    if (attempt.number < 3) throw IOException("down") else "up"
                }
            answer shouldBe "up"
            at shouldContainExactly listOf(0L, 50L, 150L)
            retrier.quota.shouldNotBeNull().available shouldBe 486
        }

        virtual("the plain function needs nothing but a block") {
            var calls = 0
            retry { if (++calls < 2) throw IOException() else calls } shouldBe 2
        }

        virtual("the caller sees the last attempt's own exception, with one trace") {
            val failures = listOf(IOException("first"), IOException("second"), IOException("third"))
            val thrown = shouldThrow<IOException> { retrier().invoke<Unit> { throw failures[it.number - 1] } }
            thrown shouldBeSameInstanceAs failures[2]
            thrown.suppressed shouldHaveSize 1
            val trace = RetryTrace.of(thrown).shouldNotBeNull()
            trace.attempts shouldBe 3
            trace.reason shouldBe StopReason.ATTEMPTS
            trace.totalDelay shouldBe 150.milliseconds
            trace.failures.map { it.what } shouldContainExactly failures.map { it.toString() }
            trace.failures.map { it.delay.inWholeMilliseconds } shouldContainExactly listOf(50L, 100L, 0L)
            trace.message shouldContain "3 attempts, stopped: attempts, waited 150ms"
        }

        virtual("what is not retryable is thrown at once") {
            var calls = 0
            val thrown = shouldThrow<IllegalStateException> {
                retrier().invoke<Unit> {
                    calls++
                    error("a bug")
                }
            }
            calls shouldBe 1
            RetryTrace.of(thrown)?.reason shouldBe StopReason.REJECTED
            currentTime shouldBe 0
        }

        virtual("a block may return null, and a null is a result like any other") {
            retrier().invoke<String?> { null }.shouldBeNull()
            val strict = RetryPolicy { onResult { if (it == null) Verdict.TRANSIENT else null } }
            retrier(strict).invoke { if (it.number == 1) null else "there" } shouldBe "there"
        }

        virtual(
            "a bad result is returned as it is when the attempts are used up, and thrown where the policy says so",
        ) {
            val policy = RetryPolicy { onResult { if (it == "bad") Verdict.TRANSIENT else null } }
            retrier(policy).invoke { "bad" } shouldBe "bad"
            val thrown = shouldThrow<BadResultException> {
                retrier(policy.with { onBadResult = OnBadResult.THROW }).invoke { "bad" }
            }
            thrown.result shouldBe "bad"
            thrown.attempts shouldBe 3
            thrown.reason shouldBe StopReason.ATTEMPTS
        }

        virtual("the attempt knows its number, whether it is the last, what failed before and how long it has") {
            val seen = mutableListOf<String>()
            val policy = RetryPolicy { deadline = 10.seconds }
            runCatching {
                retrier(policy).invoke<Unit> {
                    seen += "${it.number} ${it.isLast} ${it.lastFailure?.message} ${it.timeLeftNanos / 1_000_000}"
                    throw IOException("no ${it.number}")
                }
            }
            seen shouldContainExactly listOf("1 false null 10000", "2 false no 1 9950", "3 true no 2 9850")
        }

        virtual("an outcome tells how the call ended instead of throwing") {
            val retrier = retrier()
            val good = retrier.outcome { if (it.number == 1) throw IOException() else 7 }
            good.shouldBeInstanceOf<RetryOutcome.Success<Int>>().value shouldBe 7
            good.attempts shouldBe 2
            good.totalDelayNanos shouldBe 50_000_000
            val bad = retrier.outcome<Int> { throw IOException("down") }
            bad.shouldBeInstanceOf<RetryOutcome.Failure>().failure.message shouldBe "down"
            bad.reason shouldBe StopReason.ATTEMPTS
            shouldThrow<IOException> { bad.getOrThrow() }
        }

        virtual("quota is conserved by many coroutines at once") {
            val retrier = retrier(RetryPolicy { backoff = Backoff.fixed(10.milliseconds) }, RetryQuota(500))
            repeat(1_000) { id ->
                launch {
                    delay((id % 7).milliseconds)
                    runCatching { retrier { if (it.number == 1 && id % 3 == 0) throw IOException() else id } }
                }
            }
            testScheduler.advanceUntilIdle()
            retrier.quota.shouldNotBeNull().available shouldBe 500
        }
    })
