package dev.reprise.lab.explain

import com.github.ajalt.clikt.testing.test
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class CapacityTest :
    FunSpec({
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
    })

/** A reading of the traffic is a call off at most. */
private fun List<Int>.about(vararg expected: Int) = zip(expected.toList()).forEach { (found, wanted) ->
    found shouldBeInRange wanted - 1..wanted + 1
}
