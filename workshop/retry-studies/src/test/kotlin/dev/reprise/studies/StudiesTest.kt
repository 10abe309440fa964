package dev.reprise.studies

import com.github.ajalt.clikt.testing.test
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlin.io.path.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.nameWithoutExtension

class StudiesTest :
    FunSpec({
        fun run(vararg words: String): String {
            val result = studies().test(words.toList())
            withClue(result.output) { result.statusCode shouldBe 0 }
            return result.stdout
        }

        test("each study runs, and each scenario file can be read by the lab") {
            val short = arrayOf("--set", "seconds", "60s", "--set", "warmUp", "9s")
            run("converge", *short, "--set", "conditions", "[{rate: 10, callers: 2}]", "adaptive-2.1") shouldContain
                "10/s, 2 callers"
            run("occ", "--set", "contention.clients", "[3, 10]", "--set", "contention.runs", "2") shouldContain "full"
            run("stability", "--set", "border.calls", "[1]", "--set", "border.away", "[5s]", "none") shouldContain
                "returns"
            for (file in Path("scenarios").listDirectoryEntries()) file(file.nameWithoutExtension)
        }

        test("a study that makes no sense is refused with path, rule and value") {
            val cases = mapOf(
                "stability --set border.calls [0]" to "$.border.calls[0]: must be a number above 0, at most 100000000",
                "occ --set contention.clients [0]" to "$.contention.clients[0]: must be a whole number from 1..2000: 0",
                "occ --set contention.runs 0" to "$.contention.runs: must be a whole number from 1..100000: 0",
                "occ --seeds 2" to "$.seeds: unknown member, must be one of name, title, contention, policies",
                "converge --seeds 0" to "$.seeds: must be a whole number from 1..1000: 0",
                "converge nope" to "no preset, no file and no policy document: nope",
            )
            for ((command, line) in cases) {
                val result = studies().test(command.split(" "))
                result.statusCode shouldBe 2
                result.stderr shouldContain line
            }
        }

        test("a peer's budget pays for the retries of a policy") {
            run("simulate", "outage", "--clients", "20", "standard-2.1@envoy", "finagle") shouldContain
                "standard-2.1@envoy"
        }
    })
