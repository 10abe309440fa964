package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.shell.values.delayNanos
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonPrimitive
import java.time.Duration

/** The textbook's jitters against the blog's own simulator, which counts exponents from 1 on. */
class JitterVectorsTest :
    FunSpec({
        val all = vectors("jitter.json")

        fun base(row: JsonObject) = Duration.ofMillis(row.int("base").toLong())

        fun cap(row: JsonObject) = Duration.ofMillis(row.int("cap").toLong())

        test("exponential, full and equal jitter are the simulator's") {
            for (row in all.rows("values")) {
                val index = row.int("attempt") - 1
                val u = row.double("u")

                fun delay(jitter: Jitter) =
                    Backoff.exponential(base(row), cap(row), 2.0, jitter, base(row), firstExponent = 1).millis(index, u)
                withClue("$row") {
                    delay(Jitter.NONE) shouldBe nearly(row.double("exponential"))
                    delay(Jitter.FULL) shouldBe nearly(row.double("full_jitter"))
                    delay(Jitter.EQUAL) shouldBe nearly(row.double("equal_jitter"))
                }
            }
        }

        test("decorrelated jitter is the simulator's, over a whole call") {
            for (row in all.rows("decorrelated")) {
                val backoff = Backoff.decorrelated(base(row), cap(row))
                val draws = row["u_sequence"]?.jsonArray?.map { it.jsonPrimitive.double }
                var previous = -1L // what is cut off below a ns triples with every sleep
                for ((i, sleep) in row.getValue("sleeps").jsonArray.withIndex()) {
                    val u = draws?.get(i) ?: row.double("u")
                    previous = backoff.delayNanos(i, FailureKind.TRANSIENT, previous) { u }
                    withClue("$row, sleep $i") { previous / 1e6 shouldBe (sleep.jsonPrimitive.double plusOrMinus 1e-4) }
                }
            }
        }
    })
