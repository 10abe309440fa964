package dev.reprise.core.shell.rate

import dev.reprise.build.Vectors
import dev.reprise.core.SendRateSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.jsonObject

/** The rate curve alone, step by step, against the values that botocore computes. */
class CubicVectorsTest :
    FunSpec({
        // The third table comes from test harnesses that disagree with their own production code; the vector's note says so.
        val cases = Vectors.read("adaptive-cubic.json").rows("cases").take(2)

        for (case in cases) {
            test("the curve follows the table '${case.text("name")}'") {
                val given = case.getValue("given").jsonObject
                val settings = SendRateSettings.EXACT
                var rate = given.number("last_max_rate")
                var curve: Curve = CubicCurve(rate, cutAt = nanos(given.number("last_throttle_time")), settings)
                for (step in case.rows("steps")) {
                    val now = nanos(step.number("t"))
                    val meter = Meter(rate = Double.MAX_VALUE)
                    if (step.text("response") == "throttle") {
                        val throttle = Throttle(now, now, enabled = true, rate, admitted = 0, meter, isSpare = false)
                        curve = curve.throttled(throttle)
                        rate = curve.rate(throttle)
                    } else {
                        curve = curve.accepted(now, now, rate, admitted = 0, meter)
                        rate = curve.rate(now, now, rate, meter)
                    }
                    rate shouldBe near(step.number("calculated_rate"))
                    curve.top shouldBe near(step.number("last_max_rate"))
                    curve.cutAt shouldBe nanos(step.number("last_throttle_time"))
                }
            }
        }
    })

private fun near(value: Double) = value plusOrMinus value * 1e-9
