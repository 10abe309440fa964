package dev.reprise.conformance.faults

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.logging.Level
import java.util.logging.Logger
import kotlin.time.Duration.Companion.hours

class EndsOnceTest :
    FunSpec({
        test("a call ends exactly once and leaves nothing behind, whatever the code around it does").config(
            timeout = LONGEST,
            invocationTimeout = LONGEST,
        ) {
            // Listeners that throw are reported there, each with its stack.
            val log = Logger.getLogger("dev.reprise").apply { level = Level.OFF }
            val runs = System.getProperty("conformance.runs").toLong()
            val first = System.getProperty("conformance.seed").toLong().takeIf { it != 0L } ?: System.nanoTime()
            println("fault injection: $runs calls from -Dconformance.seed=$first")
            val seen = mutableMapOf<FaceUnderFault, Int>()
            val found = mutableListOf<String>()
            val start = System.nanoTime()
            for (seed in first until first + runs) {
                found += violations(seed)
                seen.merge(Plan(seed).face, 1, Int::plus)
                val done = seed - first + 1
                if (done % PROGRESS == 0L) {
                    println("fault injection: $done calls in ${(System.nanoTime() - start) / 1_000_000} ms")
                }
                if (found.size >= 20) break
            }
            println("fault injection: $seen in ${(System.nanoTime() - start) / 1_000_000} ms")
            log.level = null
            found.joinToString("\n") shouldBe ""
        }
    })

/** Of ten million calls on a machine with other work to do. */
private val LONGEST = 12.hours

/** A run of hours says how far it is. */
private const val PROGRESS = 100_000L
