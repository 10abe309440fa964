package dev.reprise.lab.replay

import dev.reprise.build.VectorWords
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject

/** The cases of standard mode's vectors as scenarios: every decision, delay and quota must come out as recorded. */
class StandardVectorsTest :
    FunSpec({
        for ((face, preset) in FACES.keys.flatMap { listOf(it to "standard-2.1", it to "standard-2.0") }) {
            for (case in vectors("$preset.json").objects("cases")) {
                test("$face, $preset: ${case("name")}") {
                    val expected = case.getValue("invocations").jsonArray.flatMap { it.jsonArray }.map {
                        it.jsonObject.getValue("expected").jsonObject
                    }
                    val lines = replay(scenarioOf(preset, case).toString(), face)
                    lines.size shouldBe expected.size
                    lines.zip(expected).forEachIndexed { index, (line, wanted) ->
                        withClue("outcome ${index + 1}: $line") { line shouldAgreeWith wanted }
                    }
                }
            }
        }
    })

private fun scenarioOf(preset: String, case: JsonObject): JsonObject {
    val given = case.getValue("given").jsonObject
    val policy = json(
        "preset" to preset,
        "service" to given("service"),
        "maxAttempts" to given["max_attempts"],
        "backoff" to given["max_backoff_ms"]?.let { json("cap" to "${it}ms") },
    )
    val calls = case.getValue("invocations").jsonArray.map { call ->
        json(
            "operation" to given["operation"],
            "longPolling" to given["long_polling"],
            "outcomes" to call.jsonArray.map { outcomeOf(it.jsonObject.getValue("response").jsonObject) },
        )
    }
    val used = given("consumed_before")?.let { 500 - it.toInt() }
    return json(
        "name" to case("name"),
        "policy" to policy,
        "draws" to listOf(given("jitter_u")?.toDouble() ?: VectorWords.DRAW),
        "quota" to (given("initial_retry_tokens")?.toInt() ?: used),
        "calls" to calls,
    )
}

private fun outcomeOf(response: JsonObject): JsonObject = response("exception")?.let(VectorWords::exception)?.run {
    json("exception" to javaClass.name, "message" to message)
}
    ?: json("status" to response["status"], "code" to response["error_code"], "headers" to response["headers"])

private infix fun JsonObject.shouldAgreeWith(expected: JsonObject) {
    val reason = when (expected("outcome")) {
        "retry_request" -> null
        "success" -> "success"
        "max_attempts_exceeded" -> "attempts"
        "retry_quota_exceeded" -> "quota"
        else -> error("unknown outcome in $expected")
    }
    this("decision") shouldBe if (reason == null) "retry" else "stop"
    this("reason") shouldBe reason
    number("quota") shouldBe expected.number("retry_quota")
    number("delayMs") shouldBe if ("delay_ms" in expected) expected.number("delay_ms") else 0.0
}
