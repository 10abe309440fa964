package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.time.Duration

class PolicyValueTest :
    FunSpec({
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
