package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.sim.Condition
import dev.reprise.core.shell.rate.sim.Condition.Answers
import dev.reprise.core.shell.rate.sim.Fleet
import dev.reprise.core.shell.rate.sim.ServerKind
import dev.reprise.virtualtime.Latency
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.File
import java.math.BigDecimal
import java.math.MathContext

private const val RECORDED = "src/test/resources/vectors/steady-rates.txt"

/**
 * The steady rule, number for number: the send rate of simulated clients, every two and a half seconds, as it was recorded. Whether
 * the rule is good is `MatrixTest`'s question; here no change of it goes unnoticed. A change that is meant is recorded with
 * `-Dsteady.record=true`, and wants the matrix and the tables of `docs/research/adaptive.md` anew.
 */
class SteadyTraceTest :
    FunSpec({
        val steps: Map<String, (Double) -> Double> = mapOf(
            "10" to { 10.0 },
            "0.5" to { 0.5 },
            "100 to 20" to { if (it < 20) 100.0 else 20.0 },
            "5 to 50" to { if (it < 20) 5.0 else 50.0 },
        )
        val answers: Map<String, (Double) -> Answers> = mapOf(
            "nothing else" to { Answers.USUAL },
            "throttles from 20 to 24 s" to { if (it in 20.0..24.0) Answers.THROTTLES else Answers.USUAL },
            "throttles from 20 to 45 s" to { if (it in 20.0..45.0) Answers.THROTTLES else Answers.USUAL },
            "failures from 20 to 30 s" to { if (it in 20.0..30.0) Answers.BROKEN else Answers.USUAL },
            "throttles from 5 to 10 and 25 to 26, failures from 10 to 25 s" to {
                if (it in 5.0..10.0 || it in 25.0..26.0) {
                    Answers.THROTTLES
                } else if (it in 10.0..25.0) {
                    Answers.BROKEN
                } else {
                    Answers.USUAL
                }
            },
        )

        fun digits(rate: Double) = BigDecimal(rate).round(MathContext(4)).stripTrailingZeros().toPlainString()

        fun trace(
            server: ServerKind,
            capacity: (Double) -> Double,
            answers: (Double) -> Answers,
            latency: Latency,
        ): String {
            val condition =
                Condition(server, 20, latency = latency, seconds = 60.0, answers = answers, capacity = capacity)
            val samples = Fleet(condition, SendRateSettings.STEADY, seed = 1).run().samples
            return samples.filterIndexed { i, _ -> i % 5 == 4 }.joinToString(" ") { digits(it.permitted) }
        }

        fun traces(): List<String> = buildList {
            for (server in ServerKind.entries) {
                for ((step, capacity) in steps) {
                    val latency = if (server == ServerKind.QUEUE) Condition.SLOW else Condition.HEAVY
                    add("$server, $step: ${trace(server, capacity, answers.values.first(), latency)}")
                }
            }
            for (server in listOf(ServerKind.BUCKET_10, ServerKind.FIXED, ServerKind.COUNTING)) {
                for ((what, answer) in answers.entries.drop(1)) {
                    for ((step, capacity) in steps) {
                        add("$server, $step, $what: ${trace(server, capacity, answer, Latency.around(0.03))}")
                    }
                }
            }
        }

        test("the send rate follows each server as recorded") {
            val now = traces()
            val isRecording = System.getProperty("steady.record").toBoolean()
            if (isRecording) File(RECORDED).writeText(now.joinToString("\n", postfix = "\n"))
            val recorded = File(RECORDED).readLines()
            now.size shouldBe recorded.size
            withClue("the steady rule has changed: see this test") {
                for ((line, was) in now zip recorded) line shouldBe was
            }
        }
    })
