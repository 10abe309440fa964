package dev.reprise.studies.stability

import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Contestants
import dev.reprise.lab.scenario.with
import dev.reprise.studies.studies
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject

class StabilityTest :
    FunSpec({
        val document = BuiltIn.document("stability").with("fleet[0].clients", Json.parseToJsonElement("100"))

        studies()

        fun borders(policy: String, outages: List<Double>): List<StabilityExperiment.Found> {
            val plan = Plan(listOf(1.0), outages, listOf(2.0), patience = 60.0)
            return StabilityExperiment(
                JsonObject(document - "border"),
                plan,
            ).measure(policy, Contestants.read(policy), 1)
        }

        test("free retries end where the closed form says, within 5 % of load") {
            for (attempts in listOf(3, 5)) {
                val policy = """{"preset":"standard-2.1","quota":null,"maxAttempts":$attempts}"""
                borders(policy, listOf(5.0, 40.0)).forAll {
                    it.border.shouldNotBeNull() shouldBe (it.computed.shouldNotBeNull() plusOrMinus 0.05)
                }
            }
        }

        test("without retries a fleet comes back from every load that the server can bear") {
            borders("none", listOf(5.0, 40.0)).forAll { it.border.shouldBeNull() }
        }

        test("a hedged policy is run as what it is, so what no hedged call can have is refused here too") {
            shouldThrow<IllegalArgumentException> {
                borders("""{"preset":"standard-2.1","hedge":{}}@finagle""", listOf(5.0))
            }.message shouldContain "a library's own calls pay from the policy's quota"
        }

        test("after a long outage the closed form is two by the number of attempts, and more after a short one") {
            for (attempts in 2..10) {
                freeRetriesBorder(attempts, timeout = 2.0, outage = 60.0) shouldBe (2.0 / attempts plusOrMinus 1e-9)
            }
            // Of the four retries, those are there whose calls began within the 5 s; the third comes after 1 s.
            freeRetriesBorder(attempts = 5, timeout = 2.0, outage = 5.0) shouldBe (4.0 / 7 plusOrMinus 0.01)
        }
    })
