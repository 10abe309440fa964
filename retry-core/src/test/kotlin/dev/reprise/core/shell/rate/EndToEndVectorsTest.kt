package dev.reprise.core.shell.rate

import dev.reprise.build.Vectors
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.jsonPrimitive

/** The whole limiter, event by event, against values that four SDKs agree on. */
class EndToEndVectorsTest :
    FunSpec({
        val scenarios = Vectors.read("adaptive-e2e.json").rows("scenarios")

        for (scenario in scenarios) {
            test("the state follows '${scenario.text("name")}'") {
                val start = nanos(scenario.number("start_time"))
                scenario.rows("steps").fold(SendRateState(SendRateSettings.EXACT, start)) { state, step ->
                    withClue("at ${step.text("t")}") { state.follow(step, start = start, clock = 0) }
                }
            }

            test("the state follows '${scenario.text("name")}' on a clock whose readings are about to overflow") {
                val start = nanos(scenario.number("start_time"))
                val clock = Long.MAX_VALUE - Long.MAX_VALUE % SECOND
                scenario.rows("steps").fold(SendRateState(SendRateSettings.EXACT, clock + start)) { state, step ->
                    withClue("at ${step.text("t")}") { state.follow(step, start, clock) }
                }
            }
        }
    })

private fun SendRateState.follow(step: JsonObject, start: Long, clock: Long): SendRateState {
    val now = clock + nanos(step.number("t"))
    return if (step.text("op") == "acquire") {
        enabled shouldBe step.getValue("enabled").jsonPrimitive.boolean
        val wait = waitNanos(now)
        secondsOf(wait) shouldBe (step.number("wait_s") plusOrMinus 2e-9)
        val taken = tryTake(now + wait).shouldNotBeNull()
        taken.tokensAt(now + wait) shouldBe near(step.number("capacity"))
        taken
    } else {
        val next = record(step.text("op") == "throttle", sentAt = clock + start, now = now)
        next.measuredRate shouldBe near(step.number("measured_tx_rate"))
        next.sendRate shouldBe near(step.number("fill_rate"))
        next.capacity shouldBe near(step.number("max_capacity"))
        next.tokensAt(now) shouldBe near(step.number("capacity"))
        next
    }
}

/** The file carries twelve decimals. */
private fun near(value: Double) = value plusOrMinus (value * 1e-9 + 3e-9)
