package dev.reprise.lab.explain

import dev.reprise.core.FailureKind
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe

class ExplanationTest :
    FunSpec({
        test("standard mode's retries wait up to 50 and 100 ms, half of that on average") {
            val rows = Explanation(RetryPolicy.STANDARD, FailureKind.TRANSIENT, samples = 20_000, seed = 1).rows
            rows.map { it.ceiling } shouldBe listOf(50_000_000L, 100_000_000L)
            rows[0].mean shouldBe (25e6 plusOrMinus 0.4e6)
            rows[1].worstSum shouldBe 150_000_000
        }

        test("the quota drains from the failure rates that the specification names: 22 % at 14 tokens, 32 % at 5") {
            fun drainsFrom(kind: FailureKind) =
                Explanation(RetryPolicy.STANDARD, kind, samples = 10, seed = 1).drainsFrom
            drainsFrom(FailureKind.TRANSIENT).shouldNotBeNull() shouldBe (0.22 plusOrMinus 0.006)
            drainsFrom(FailureKind.THROTTLING).shouldNotBeNull() shouldBe (0.32 plusOrMinus 0.006)
        }

        test(
            "a steady quota drains as its reserve does, which is the SDKs' bucket; a ratio has no share from which on it drains",
        ) {
            fun drainsFrom(policy: RetryPolicy) =
                Explanation(policy, FailureKind.TRANSIENT, samples = 10, seed = 1).drainsFrom
            drainsFrom(RetryPolicy.STANDARD_STEADY) shouldBe drainsFrom(RetryPolicy.STANDARD)
            drainsFrom(RetryPolicy { quota = RatioQuotaSettings.FINAGLE }).shouldBeNull()
        }

        test("a policy without retries has nothing to explain, and one without a quota never drains it") {
            Explanation(RetryPolicy.NONE, FailureKind.TRANSIENT, samples = 10, seed = 1).rows.shouldBeEmpty()
            Explanation(
                RetryPolicy {
                    quota = null
                },
                FailureKind.TRANSIENT,
                samples = 10,
                seed = 1,
            ).drainsFrom.shouldBeNull()
        }
    })
