package dev.reprise.core

import io.github.resilience4j.circuitbreaker.CallNotPermittedException
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisCommandTimeoutException
import io.r2dbc.spi.R2dbcNonTransientResourceException
import io.r2dbc.spi.R2dbcRollbackException
import io.r2dbc.spi.R2dbcTimeoutException
import io.r2dbc.spi.R2dbcTransientResourceException

/** The exceptions here are stand-ins; `workshop/retry-services` has those of the libraries. */
class NamedErrorsTest :
    FunSpec({
        val policies = listOf(RetryPolicy.STANDARD, RetryPolicy.HTTP, RetryPolicy.ANY_EXCEPTION)

        test("the rejection of an open circuit breaker is never retried, wrapped or not") {
            for (policy in policies + RetryPolicy { retryOn<RuntimeException>() }) {
                withClue(policy) {
                    policy.classifier.classifyFailure(CallNotPermittedException()) shouldBe Verdict.Reject
                }
            }
            for (policy in policies) {
                val wrapped = RuntimeException("no fallback", CallNotPermittedException())
                policy.classifier.classifyFailure(wrapped) shouldBe Verdict.Reject
            }
        }

        test("unless a rule names that very class") {
            val policy = RetryPolicy { retryOn<CallNotPermittedException>() }
            policy.classifier.classifyFailure(CallNotPermittedException()).kind shouldBe FailureKind.TRANSIENT
        }

        test("a time out of a Redis client is one, although it is no IOException") {
            for (policy in policies) {
                policy.classifier.classifyFailure(RedisCommandTimeoutException()).kind shouldBe FailureKind.TIMEOUT
            }
        }

        test("R2DBC: the SQLSTATE in the text decides, whatever the type") {
            val broken = SqlErrors.classifyFailure(R2dbcNonTransientResourceException("08006"))
            broken shouldBe Verdict.Retry(FailureKind.TRANSIENT, "SQLSTATE 08xxx", unsent = false)
            val full = SqlErrors.classifyFailure(RuntimeException(R2dbcNonTransientResourceException("53300")))
            full shouldBe Verdict.Retry(FailureKind.THROTTLING, "SQLSTATE 53300", unsent = true)
            val collided = SqlErrors.classifyFailure(R2dbcTransientResourceException("40001", 1213))
            collided shouldBe Verdict.Retry(FailureKind.TRANSIENT, "SQLSTATE 40001", unsent = true)
            SqlErrors.classifyFailure(R2dbcNonTransientResourceException("42601", 7)) shouldBe null
        }

        test("R2DBC: without a state that says more, the type decides") {
            fun verdict(failure: Throwable) = SqlErrors.classifyFailure(failure) as Verdict.Retry?
            verdict(R2dbcRollbackException()) shouldBe
                Verdict.Retry(FailureKind.TRANSIENT, "R2dbcRollbackException", unsent = true)
            verdict(R2dbcTimeoutException("57014"))?.kind shouldBe FailureKind.TIMEOUT
            verdict(R2dbcTransientResourceException(code = 54321))?.unsent shouldBe false
            verdict(R2dbcNonTransientResourceException()) shouldBe null
        }
    })

private val Verdict?.kind: FailureKind? get() = (this as? Verdict.Retry)?.kind
