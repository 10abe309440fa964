package dev.reprise.lab.explain

import com.github.ajalt.clikt.testing.test
import dev.reprise.core.FailureKind
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

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
                RetryPolicy { quota = null },
                FailureKind.TRANSIENT,
                samples = 10,
                seed = 1,
            ).drainsFrom.shouldBeNull()
        }

        test("the steady quota holds what the client's size gives it, and one operation its share of that") {
            val capacities = Capacity.of(SteadyQuotaSettings.DEFAULT)
            val small = SteadyQuotaSettings.DEFAULT.leastCapacity
            capacities.map { it.tokens }.about(small, small, 50, 500)
            capacities.map { it.ofOperation }.about(small, small, small, 250)
        }

        test("a share of successes grows with them, and the floor is there without any") {
            Capacity.of(RatioQuotaSettings.FINAGLE).map { it.tokens / 100 }.about(100, 102, 120, 300)
        }

        test("a bucket is the same for every client, and so nothing is said of it") {
            Capacity.of(TokenBucketSettings.STANDARD).shouldBeEmpty()
            Capacity.of(null).shouldBeEmpty()
            retryLab().test("explain standard-2.1").stdout shouldNotContain "depends on the client"
            retryLab().test("explain standard-steady").stdout shouldContain "depends on the client"
        }

        fun explain(policy: String) = retryLab().test(listOf("explain", policy)).stdout

        test("a policy that is probably a mistake is warned about, and no preset is") {
            explain("""{"attemptTimeout": "5s", "deadline": "2s"}""") shouldContain
                "Warning: the attempt timeout of 5s is above the deadline of 2s, which comes first."
            explain("any-exception") shouldNotContain "Warning"
        }

        test("the policy for every exception shows the mistakes that it does not retry") {
            explain("any-exception") shouldContain "java.lang.NullPointerException"
        }
    })

/** A reading of the traffic is a call off at most. */
private fun List<Int>.about(vararg expected: Int) = zip(expected.toList()).forEach { (found, wanted) ->
    found shouldBeInRange wanted - 1..wanted + 1
}
