package dev.reprise.studies.occ

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.PolicyJson
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlin.io.path.Path
import kotlin.io.path.readText
import kotlin.math.sqrt

class OccTest :
    FunSpec({
        val vectors = Json.parseToJsonElement(
            Path("../../checks/retry-build-checks/src/main/resources/vectors/jitter.json").readText(),
        ).jsonObject.getValue("simulation").jsonArray.map { it.jsonObject }

        fun policy(algorithm: String): RetryPolicy = PolicyJson.read(
            when (algorithm) {
                "None" -> """{"backoff":{"type":"fixed","delay":"0ms"}}"""

                "Decorr" -> """{"backoff":{"type":"decorrelated","base":"5ms","cap":"2s"}}"""

                else -> """{"backoff":{"type":"exponential","base":"5ms","cap":"2s","firstExponent":1,"jitter":"${jitter(
                    algorithm,
                )}"}}"""
            },
        )

        test("calls and times are the blog's, within the statistical error of a hundred runs") {
            for (row in vectors.filter { it.getValue("clients").jsonPrimitive.int in setOf(10, 50) }) {
                fun figure(name: String) = row.getValue(name).jsonPrimitive.double
                val runs = 50
                val summary = Occ(
                    policy(row.getValue("algorithm").jsonPrimitive.content),
                    figure("clients").toInt(),
                ).runs(runs, seed = 7)
                // Four standard errors of the difference of two means.
                val error = 4 * sqrt(1.0 / runs + 1.0 / figure("runs"))
                summary.calls.mean shouldBe (figure("mean_calls") plusOrMinus error * figure("sd_calls"))
                summary.millis.mean shouldBe (figure("mean_time") plusOrMinus error * figure("sd_time"))
            }
        }

        test("the blog's order: jitter saves most of the writes, and only trying at once is faster than it") {
            val algorithms = listOf("None", "Exponential", "Decorr", "EqualJitter", "FullJitter")
            val at = algorithms.associateWith { Occ(policy(it), clients = 100).runs(10, seed = 3) }
            at.entries.sortedByDescending { it.value.calls.mean }.map { it.key } shouldBe algorithms
            at.entries.sortedBy { it.value.millis.mean }.map { it.key } shouldBe
                listOf("None", "Decorr", "FullJitter", "EqualJitter", "Exponential")
        }

        test("the same seed gives the same run") {
            val a = Occ(policy("FullJitter"), 30).run(seed = 3)
            val b = Occ(policy("FullJitter"), 30).run(seed = 3)
            a.calls shouldBe b.calls
            a.millis shouldBe b.millis
        }
    })

private fun jitter(algorithm: String) = when (algorithm) {
    "Exponential" -> "none"
    "EqualJitter" -> "equal"
    else -> "full"
}
