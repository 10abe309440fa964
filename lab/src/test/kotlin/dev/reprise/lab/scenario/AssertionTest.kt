package dev.reprise.lab.scenario

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.experiment.Assertion
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

class AssertionTest :
    FunSpec({
        fun broken(assertion: String, figure: String, value: Double) =
            Assertion.read(assertion).broken(mapOf("ours" to mapOf(figure to value)))

        test("an assertion holds or does not, with units") {
            broken("recovery < 5s", "recovery", 4.0).shouldBeEmpty()
            broken("recovery < 5s", "recovery", 5.0).size shouldBe 1
            broken("recovery<5000ms", "recovery", 4.0).shouldBeEmpty()
            broken("success >= 99.5%", "success", 0.995).shouldBeEmpty()
            broken("p99 <= 1s", "p99", 999.0).shouldBeEmpty()
            broken("ours: amplification <= 1.2", "amplification", 1.3) shouldBe
                listOf("assertion failed: ours: amplification <= 1.2: ours has 1.30")
        }

        test("a fleet that never recovers breaks every bound on its recovery, and can be expected") {
            broken("recovery < 5s", "recovery", Double.POSITIVE_INFINITY).single() shouldContain "ours has never"
            broken("recovery >= never", "recovery", Double.POSITIVE_INFINITY).shouldBeEmpty()
        }

        test("what has no value, and what was not tried, does not hold") {
            broken("recovery < 5s", "recovery", Double.NaN).size shouldBe 1
            Assertion.read("theirs: p99 < 1s").broken(mapOf("ours" to mapOf("p99" to 1.0))).single() shouldContain
                "no policy is called theirs"
        }

        test("the exit code says whether it held; an assertion that makes no sense is bad input") {
            val fleet = "simulate outage --clients 20 --seconds 80 standard-2.1".split(" ")
            fun status(assertion: String) = retryLab().test(fleet + listOf("--assert", assertion)).statusCode
            status("recovery < 5s") shouldBe 0
            status("amplification < 1.0") shouldBe 1
            status("beauty < 3") shouldBe 2
            status("recovery < 3%") shouldBe 2
            status("recovery is fine") shouldBe 2
        }
    })
