package dev.reprise.conformance

import dev.reprise.build.VectorWords
import dev.reprise.build.Vectors
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

private val reasons = mapOf(
    "success" to StopReason.SUCCESS,
    "max_attempts_exceeded" to StopReason.ATTEMPTS,
    "retry_quota_exceeded" to StopReason.QUOTA,
)

private fun cases(file: String): List<JsonObject> = Vectors.read(file).getValue("cases").jsonArray.map { it.jsonObject }

private fun JsonObject.text(name: String) = get(name)?.jsonPrimitive?.content

private fun JsonObject.int(name: String) = get(name)?.jsonPrimitive?.int

private fun step(response: JsonObject): Step {
    val exception = response.text("exception")?.let(VectorWords::exception)
    if (exception != null) return Step { exception }
    val headers = response["headers"]?.jsonObject.orEmpty().mapValues { it.value.jsonPrimitive.content }
    return Step(Response(response.int("status")!!, response.text("error_code"), headers))
}

private fun policy(preset: String, given: JsonObject): RetryPolicy = Presets.named(preset, given.text("service")).with {
    given.int("max_attempts")?.let { maxAttempts = it }
    given.int("max_backoff_ms")?.let {
        val service = given.text("service")?.let { name -> """, "service": "$name"""" }.orEmpty()
        backoff = PolicyJson.read("""{"preset": "$preset"$service, "backoff": {"cap": "${it}ms"}}""").backoff
    }
}

private fun scenario(preset: String, case: JsonObject): Scenario {
    val given = case.getValue("given").jsonObject
    val options = CallOptions {
        operation = given.text("operation")
        longPolling = given.text("long_polling").toBoolean()
    }
    return Scenario(
        name = case.text("name")!!,
        policy = policy(preset, given),
        calls = invocations(case).map { rows ->
            ScriptedCall(rows.map { step(it.getValue("response").jsonObject) }, options)
        },
        draws = listOf(given["jitter_u"]?.jsonPrimitive?.double ?: VectorWords.DRAW),
        quota = given.int("initial_retry_tokens") ?: (500 - (given.int("consumed_before") ?: 0)),
    )
}

private fun invocations(case: JsonObject): List<List<JsonObject>> =
    case.getValue("invocations").jsonArray.map { it.jsonArray.map(JsonElement::jsonObject) }

private fun waitMillis(expected: JsonObject): Double? = expected["delay_ms"]?.jsonPrimitive?.double?.takeIf { it > 0 }

class VectorsTest :
    FunSpec({
        for ((preset, expectedCases) in mapOf("standard-2.1" to 18, "standard-2.0" to 6)) {
            val all = cases("$preset.json")
            test("$preset: all cases are there") { all shouldHaveSize expectedCases }
            for (case in all) {
                for (face in if ("\"headers\"" in "$case") Face.ALL else Face.ALL + GrpcFace) {
                    test("$preset, $face: ${case.text("name")}") {
                        val trace = face.play(scenario(preset, case))

                        val rows = invocations(case)
                        trace.ends.size shouldBe rows.size
                        for ((end, invocation) in trace.ends zip rows) {
                            val expected = invocation.map { it.getValue("expected").jsonObject }
                            withClue("$trace") {
                                end.reason shouldBe reasons.getValue(expected.last().text("outcome")!!)
                                end.quota shouldBe expected.last().int("retry_quota")
                                val waits = expected.mapNotNull(::waitMillis)
                                end.waitsNanos shouldHaveSize waits.size
                                for ((nanos, millis) in end.waitsNanos zip waits) {
                                    nanos / 1e6 shouldBe (millis plusOrMinus 1e-6)
                                }
                            }
                        }
                    }
                }
            }
        }
    })
