package dev.reprise.differential

import com.amazonaws.retry.RetryMode
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import kotlin.time.Duration.Companion.hours

/** Our presets end each call of each script as the living SDKs do: same attempts, same waits, same quota left. */
class DifferentialTest :
    FunSpec({
        val runs = System.getProperty("differential.runs").toLong()
        val first = System.getProperty("differential.seed").toLong().takeIf { it != 0L } ?: System.nanoTime()
        val kotlin = listOf(SmithyKotlin(is2026 = true), SmithyKotlin(is2026 = false))
        val sdks = kotlin + JavaV2.Standard21 + JavaV2.Standard + JavaV2.Legacy +
            JavaV1(RetryMode.LEGACY) + JavaV1(RetryMode.STANDARD)

        /** Lets [sdk] and [ours] play all scripts; tells the scripts whose ends differ, the first few. */
        fun differences(sdk: LivingSdk, ours: (Script) -> List<End>): List<String> {
            val found = mutableListOf<String>()
            val ends = mutableMapOf<String, Int>()
            for (seed in first until first + runs) {
                val script = Script.random(seed, sdk)
                val theirs = sdk.play(script)
                for (end in theirs) ends.merge(if (end.isSuccess) "succeeded" else "failed", 1, Int::plus)
                val mine = ours(script)
                if (mine != theirs) found += "-Ddifferential.seed=$seed: $script\n$sdk: $theirs\nReprise: $mine\n"
                if (found.size == 3) break
            }
            println("$sdk: $runs scripts from -Ddifferential.seed=$first, calls that $ends")
            // A script that cannot fail, or cannot succeed, compares nothing.
            ends.getOrDefault("succeeded", 0) shouldBeGreaterThan 0
            ends.getOrDefault("failed", 0) shouldBeGreaterThan 0
            return found
        }

        for (sdk in sdks) {
            test("as $sdk").config(timeout = LONGEST, invocationTimeout = LONGEST) {
                differences(sdk) { Reprise.play(sdk, it) }.shouldBeEmpty()
            }
        }
        for (sdk in kotlin) {
            test("in the place of the strategy of $sdk").config(timeout = LONGEST, invocationTimeout = LONGEST) {
                differences(sdk, sdk::playOurs).shouldBeEmpty()
            }
        }
    })

/** Of 100,000 scripts on a machine with other work to do. */
private val LONGEST = 2.hours
