package dev.reprise.virtualtime

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.numericDouble
import io.kotest.property.checkAll
import kotlin.math.ln

/** Draws in ascending order. */
private fun draws(latency: Latency, seed: Int, count: Int = 20_000) = Chance(seed.toLong()).let { chance ->
    List(count) { latency.draw(chance) }.sorted()
}

class LatencyTest :
    FunSpec({
        val least = Arb.numericDouble(0.001, 1.0)
        val factor = Arb.numericDouble(1.1, 5.0)
        val latencies = Arb.choice(
            least.map(Latency::constant),
            Arb.bind(least, factor) { from, times -> Latency.range(from, from * times) },
            least.map(Latency::around),
            Arb.bind(least, factor) { median, times -> Latency.logNormal(median, median * times) },
            Arb.bind(least, factor) { a, times ->
                Latency.histogram(listOf(0.5 to a, 0.9 to a * times, 1.0 to a * times * times))
            },
            Arb.bind(least, Arb.numericDouble(3.0, 5.0)) { a, shape -> Latency.heavyTailed(a, shape, most = a * 1e6) },
        )

        test("the mean is that of the draws, within 5 %") {
            checkAll(60, latencies, Arb.int()) { latency, seed ->
                draws(latency, seed).average() shouldBe (latency.mean plusOrMinus latency.mean / 20)
            }
        }

        test("the same seed draws the same") {
            checkAll(20, Arb.int()) { seed ->
                val latency = Latency.logNormal(0.02, 0.2)
                draws(latency, seed) shouldBe draws(latency, seed)
            }
        }

        test("quantiles are what was asked for") {
            val normal = draws(Latency.logNormal(0.02, 0.2), 3, count = 100_000)
            normal[50_000] shouldBe (0.02 plusOrMinus 0.0005)
            normal[99_000] shouldBe (0.2 plusOrMinus 0.01)
            normal.map { ln(it) }.average() shouldBe (ln(0.02) plusOrMinus 0.01)
            val measured = draws(Latency.histogram(listOf(0.5 to 0.01, 0.9 to 0.05, 1.0 to 1.0)), 3, count = 100_000)
            measured.count { it <= 0.01 } / 1e5 shouldBe (0.5 plusOrMinus 0.01)
            measured.count { it <= 0.05 } / 1e5 shouldBe (0.9 plusOrMinus 0.01)
            measured[70_000] shouldBe (0.03 plusOrMinus 0.001)
        }

        test("what is servable is what the server admits or what the callers can ask for, whichever is less") {
            checkAll(20, Arb.int(1..50), Arb.numericDouble(1.0, 500.0)) { callers, rate ->
                val condition = RateCondition("any", callers, seconds = 60.0, countedFrom = 10.0) { rate }
                condition.servable shouldBe (50 * minOf(rate, callers / 0.02) plusOrMinus 1e-6 * 50 * rate)
            }
        }

        fun settling(
            before: Double,
            after: Double,
            rates: List<Double>,
            served: (Int) -> Double = { rates[it] },
        ): Double {
            val condition = RateCondition("step", 1, stepAt = 5.0, seconds = 60.0) { if (it < 5) before else after }
            fun atHalf(number: Int, rate: Double) =
                (rate * (number + 1) / 2 + 1e-9).toInt() - (rate * number / 2 + 1e-9).toInt()
            return condition.settling(
                rates.mapIndexed { i, rate ->
                    RateCondition.Sample((i + 1) * 0.5, rate, atHalf(i, rate), atHalf(i, served(i)))
                },
            )
        }

        test("a rate has settled when five seconds fit the new capacity, and all windows of the next ten seconds do") {
            checkAll(50, Arb.int(0..40), Arb.int(1..18)) { wrong, lapse ->
                val before = List(10 + wrong) { 100.0 }
                fun good(samples: Int) = List(samples) { 50.0 }
                // Five seconds are a tenth above 50 with one half second of 100 in them.
                settling(100.0, 50.0, before + good(40)) shouldBe (wrong * 0.5 + 4.5 plusOrMinus 1e-9)
                settling(100.0, 50.0, before + good(15)).isNaN() shouldBe true
                val lapsed = before + good(8 + lapse) + List(2) { 100.0 }
                settling(100.0, 50.0, lapsed + good(40)) shouldBe (lapsed.size * 0.5 - 0.5 plusOrMinus 1e-9)
            }
        }

        test("a rate of which two in five are refused has not settled; one request in five seconds is no matter") {
            val sent = List(10) { 10.0 } + List(60) { 1.0 }
            settling(10.0, 1.0, sent).isNaN() shouldBe false
            settling(10.0, 1.0, sent) { if (it % 10 == 1) 0.0 else sent[it] }.isNaN() shouldBe false
            settling(10.0, 1.0, sent) { if (it % 10 in 1..3) 0.0 else sent[it] }.isNaN() shouldBe true
        }
    })
