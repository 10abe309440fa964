package dev.reprise.core

import dev.reprise.core.value.SETTINGS
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class PolicyTextTest :
    FunSpec({
        test("a constant is its name") {
            "${RetryPolicy.STANDARD}" shouldBe "RetryPolicy(STANDARD)"
            "${RetryPolicy { }}" shouldBe "RetryPolicy(STANDARD)"
            "${RetryPolicy.STANDARD_STEADY}" shouldBe "RetryPolicy(STANDARD_STEADY)"
            "${RetryPolicy.ADAPTIVE_STEADY}" shouldBe "RetryPolicy(ADAPTIVE_STEADY)"
            "${RetryPolicy.HTTP}" shouldBe "RetryPolicy(HTTP)"
            "${RetryPolicy.ANY_EXCEPTION}" shouldBe "RetryPolicy(ANY_EXCEPTION)"
            "${RetryPolicy.NONE}" shouldBe "RetryPolicy(NONE)"
        }

        test("any other policy is what differs from the nearer one of STANDARD and HTTP") {
            "${RetryPolicy {
                maxAttempts = 5
                deadline = 30.seconds
            }}" shouldBe "RetryPolicy(STANDARD, 5 attempts, deadline 30s)"
            "${RetryPolicy.HTTP.with {
                retryOn<IOException>()
                quota = null
            }}" shouldBe "RetryPolicy(HTTP, classifier retries java.io.IOException, then HTTP, no quota)"
            "${RetryPolicy.ANY_EXCEPTION.with {
                maxAttempts = 1
                rejectOn<IllegalStateException>()
                sendRate = SendRateSettings.STEADY
            }}" shouldBe "RetryPolicy(STANDARD, 1 attempt, " +
                "classifier rejects java.lang.IllegalStateException, then any exception, steady send rate)"
            "${RetryPolicy.HTTP.with {
                unlimitedAttempts()
                noBackoff()
                serverDelays = emptyList()
                quota = TokenBucketSettings { capacity = 100 }
                attemptTimeouts = listOf(500.milliseconds, 1.seconds)
                onBadResult = OnBadResult.THROW
                longPollingDelay = false
                trace = false
            }}" shouldBe "RetryPolicy(HTTP, unlimited attempts, backoff fixed(0s, no jitter), no server delays, " +
                "quota(capacity 100, cost 14, throttling 5, timeout 14, first try gives back 1, charges retries), " +
                "attempt timeout 500ms, then 1s, bad result: throw, no delay of refused long polls, no trace)"
        }

        test("classifiers are words, functions too") {
            "${RetryPolicy {
                onResult { null }
                onFailure { null }
                backoff = Backoff.custom { null }
            }}" shouldBe "RetryPolicy(STANDARD, backoff custom(a function), " +
                "classifier a function of failures, then a function of results, then standard)"
            val table = ErrorTable.STANDARD.withFirst(
                ErrorRule(
                    FailureKind.TIMEOUT,
                    codes = setOf("Slow", "Late"),
                    statuses = Statuses.of(400),
                    message = "try again",
                ),
                ErrorRule(null, codes = setOf("Final")),
            )
            "${Classifier.firstOf(table, TransportErrors)}" shouldBe
                "retries status 400 with code Slow, Late and \"try again\" in the message as timeout; " +
                "rejects code Final; standard table, then transport"
            "${Classifier.onCause(IOException::class.java, FailureKind.THROTTLING)}" shouldBe
                "retries java.io.IOException as throttling, or as a cause"
            "${Classifier.failures { Verdict.Reject }}" shouldBe "a function of failures"
            "${Classifier.results { null }}" shouldBe "a function of results"
        }

        test("policies that differ print differently, and what differs in one member only is told in a line") {
            val type = SETTINGS.single { it.name == "RetryPolicy" }
            for ((clue, other) in type.neighbours()) withClue(clue) { "$other" shouldNotBe "${type.first()}" }
            val single = listOf<RetryPolicyBuilder.() -> Unit>(
                { maxAttempts = 4 },
                { quota = null },
                { fixedBackoff(1.seconds) },
                { retryOn<IllegalStateException>() },
                { sendRate = SendRateSettings.EXACT },
                { deadline = 1.seconds },
                { trace = false },
            )
            for (base in listOf(RetryPolicy.STANDARD, RetryPolicy.HTTP)) {
                for (change in single) {
                    val text = "${base.with(change)}"
                    text shouldContain if (base == RetryPolicy.HTTP) "(HTTP, " else "(STANDARD, "
                    text.length shouldBeLessThan 100
                }
            }
        }

        test("each constant is what its own builder accepts and builds") {
            val constants = listOf(
                RetryPolicy.STANDARD,
                RetryPolicy.STANDARD_STEADY,
                RetryPolicy.ADAPTIVE_STEADY,
                RetryPolicy.HTTP,
                RetryPolicy.ANY_EXCEPTION,
                RetryPolicy.NONE,
            )
            for (constant in constants) constant.toBuilder().build() shouldBe constant
            constants.toSet().size shouldBe constants.size
        }

        test("a policy stays as it was built, whatever becomes of its builder and of the lists that it was given") {
            val delays = RetryPolicy.HTTP.serverDelays.toMutableList()
            val builder = RetryPolicy.builder().serverDelays(delays).attemptTimeouts(Duration.ofSeconds(1))
            val policy = builder.build()
            val before = policy.toBuilder().build()
            delays.clear()
            builder.maxAttempts(7).backoff(Backoff.IMMEDIATE).classifier(Classifier.NONE).noQuota().attemptTimeout(null)
            policy shouldBe before
            policy.serverDelays shouldBe RetryPolicy.HTTP.serverDelays
            policy.toBuilder().maxAttempts(9)
            policy.maxAttempts shouldBe 3
        }
    })
