package dev.reprise.lab.replay

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject

/**
 * The rate limiter's vectors as scenarios, as far as calls can express them: an answer while the limiter is off, and then
 * each permit with the answer to its request. From the first step on that takes a permit and never answers, or answers
 * without a permit, a client could not do the same, and the comparison ends.
 */
class AdaptiveVectorsTest :
    FunSpec({
        var compared = 0
        val scenarios = vectors("adaptive-e2e.json").objects("scenarios")
        for ((face, scenario) in FACES.keys.flatMap { face -> scenarios.map { face to it } }) {
            test("$face, adaptive: ${scenario("name")}") {
                val calls = callsOf(scenario.objects("steps"))
                val lines = replay(
                    json(
                        "policy" to json("preset" to "adaptive-2.1", "maxAttempts" to 1),
                        "startAt" to scenario.number("start_time"),
                        "calls" to calls.map(VectorCall::toJson),
                    ).toString(),
                    face,
                )
                lines.size shouldBe calls.size
                for ((line, call) in lines.zip(calls)) {
                    withClue(line) {
                        line.number("at") shouldBe (call.answer.number("t") plusOrMinus 1e-6)
                        line.number("measuredRate") shouldBe (call.answer.number("measured_tx_rate") plusOrMinus 1e-6)
                        if (line("sendRate") != null) {
                            line.number("sendRate") shouldBe (call.answer.number("fill_rate") plusOrMinus 1e-6)
                        }
                        line.number("permitWaitMs") shouldBe (call.waitSeconds * 1000 plusOrMinus 1e-3)
                    }
                }
                compared += calls.size
            }
        }

        test("calls can express 22 of the answers") { compared shouldBe 22 * FACES.size }
    })

/** A call with one attempt: the permit that it takes, and the answer to it. */
private class VectorCall(val startsAt: Double, val waitSeconds: Double, val answer: JsonObject) {
    fun toJson(): JsonObject = json(
        "at" to startsAt,
        "outcomes" to listOf(
            json(
                "status" to if (answer("op") == "throttle") 429 else 200,
                "takes" to maxOf(0.0, answer.number("t") - startsAt - waitSeconds),
            ),
        ),
    )
}

private fun callsOf(steps: List<JsonObject>): List<VectorCall> {
    val calls = mutableListOf<VectorCall>()
    var permit: JsonObject? = null
    var isOn = false
    for (step in steps) {
        val isAcquire = step("op") == "acquire"
        if (if (isAcquire) permit != null else permit == null && isOn) break
        if (isAcquire) {
            permit = step
            continue
        }
        val wait = permit?.number("wait_s") ?: 0.0
        calls += VectorCall(permit?.number("t") ?: step.number("t"), wait, step)
        permit = null
        isOn = isOn || step("op") == "throttle"
    }
    return calls
}
