package dev.reprise.conformance.faults

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe

class EndsOnceTest :
    FunSpec({
        test("a call ends exactly once and leaves nothing behind, whatever the code around it does") {
            val runs = System.getProperty("conformance.runs").toLong()
            val first = System.getProperty("conformance.seed").toLong().takeIf { it != 0L } ?: System.nanoTime()
            println("fault injection: $runs calls from -Dconformance.seed=$first")
            val seen = mutableMapOf<FaceUnderFault, Int>()
            val found = mutableListOf<String>()
            val start = System.nanoTime()
            for (seed in first until first + runs) {
                found += violations(seed)
                seen.merge(Plan(seed).face, 1, Int::plus)
                if (found.size >= 20) break
            }
            println("fault injection: $seen in ${(System.nanoTime() - start) / 1_000_000} ms")
            found.joinToString("\n") shouldBe ""
            found.shouldBeEmpty()
        }
    })
