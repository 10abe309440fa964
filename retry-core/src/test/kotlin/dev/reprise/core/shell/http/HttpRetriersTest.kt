package dev.reprise.core.shell.http

import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.ErrorTable
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.security.cert.CertificateException

private class Brought(var policy: RetryPolicy, val quota: Any = Any())

class HttpRetriersTest :
    FunSpec({
        var made = 0
        val retriers = HttpRetriers<Brought>(
            EngineErrors,
            errorBodyBytes = 0,
            { it.policy },
            { brought, policy -> Brought(policy, brought.quota).also { made++ } },
        )

        test("a retrier whose policy lacks the engines' errors is replaced once by one that shares its quota") {
            made = 0
            val brought = Brought(RetryPolicy.STANDARD)

            val ready = List(3) { retriers.of(brought) }

            ready.distinct().size shouldBe 1
            made shouldBe 1
            ready.first().retrier.quota shouldBeSameInstanceAs brought.quota
            ready.first().policy.classifier.classifyFailure(CertificateException()) shouldBe Verdict.Reject
        }

        test("one that lacks nothing, or retries nothing of the kind, is itself") {
            val policies = listOf(
                RetryPolicy { classifier = Classifier.firstOf(EngineErrors, ErrorTable.STANDARD) },
                RetryPolicy { classifier = ErrorTable.STANDARD },
            )
            for (policy in policies) {
                val brought = Brought(policy)
                retriers.of(brought).retrier shouldBeSameInstanceAs brought
            }
        }

        test("a request's own policy has the engines' errors too, and is lent by the retrier that was brought") {
            val brought = Brought(RetryPolicy.STANDARD)
            val from = mutableListOf<Brought>()

            val lent = retriers.of(brought, RetryPolicy { maxAttempts = 4 }) { lender, asked ->
                from += lender
                Brought(asked, lender.quota)
            }

            lent.policy.maxAttempts shouldBe 4
            lent.retrier.policy.classifier.classifyFailure(CertificateException()) shouldBe Verdict.Reject
            from shouldBe listOf(brought)
        }

        test("a policy that is replaced later is seen") {
            val brought = Brought(RetryPolicy.STANDARD)
            retriers.of(brought).policy.maxAttempts shouldBe 3

            brought.policy = RetryPolicy.STANDARD.with { maxAttempts = 7 }

            retriers.of(brought).policy.maxAttempts shouldBe 7
        }
    })
