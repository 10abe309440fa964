package dev.reprise.lab.arguments

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.retryLab
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldBeEmpty
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class BadInputTest :
    FunSpec({
        val folder = tempdir()
        val broken = folder.resolve("broken.json").also { it.writeText("""{"maxAttempts":""") }
        val zero = folder.resolve("zero.json").also { it.writeText("""{"maxAttempts":0}""") }

        fun refused(vararg arguments: String): String {
            val result = retryLab().test(arguments.toList())
            result.statusCode shouldBe 2
            result.stdout.shouldBeEmpty()
            result.stderr.trim().lines().size shouldBe 1
            result.stderr shouldNotContain "Exception"
            return result.stderr
        }

        val positive = "must be a number above 0, at most 100000000"
        val clients = "must be a whole number from 1..1000000"

        test("a scenario that makes no sense is refused in one line, with the name, the rule and the value") {
            for (
            (arguments, line) in listOf(
                "outage --capacity -5" to "$.server.queue.capacity: $positive: -5",
                "outage --capacity NaN" to "$.server.queue.capacity: $positive: \"NaN\"",
                "outage --clients 0" to "$.fleet[0].clients: $clients: 0",
                "outage --clients 2000000000" to "$.fleet[0].clients: $clients: 2000000000",
                "outage --calls 1e12" to "$.fleet[0].calls: $positive",
                "outage --seconds NaN" to "$.seconds: must be a duration from 1s to 86400s",
                "outage --latency 0" to "$.server.latency: must be a duration from 0.001s to 86400s",
                "outage --kind stall" to "needs an attemptTimeout or a deadline",
                "outage --kind fire" to "$.server.failures[0].kind: must be one of error, stall, freeze, slow: ",
                "outage --assert beauty<1" to "beauty is not a figure",
                "throttle --rate 0" to "$positive: 0",
                "throttle --clients -1" to "$.fleet[0].clients: $clients: -1",
                "stability --calls 0" to "$.border.calls[0]: must be a number above 0, at most 100000000: 0",
                "occ --clients 0" to "$.contention.clients[0]: must be a whole number from 1..2000: 0",
                "stability --seeds 2" to "$.seeds: must not be there: a border is sought from one seed: 2",
                "occ --size 0.5" to "$.size: unknown member, must be one of name, title, contention, policies",
                "occ --runs 0" to "$.contention.runs: must be a whole number from 1..100000: 0",
            )
            ) {
                refused("simulate", *arguments.split(" ").toTypedArray()) shouldContain line
            }
        }

        test("a policy that cannot be had is refused with its name or file, in every command that takes one") {
            for (command in listOf(listOf("simulate", "throttle"), listOf("compare"), listOf("explain"))) {
                refused(*command.toTypedArray(), "nope") shouldContain "no preset, no file and no policy document: nope"
                refused(*command.toTypedArray(), "$broken") shouldContain "$broken: $: must be JSON"
                refused(*command.toTypedArray(), "$zero") shouldContain "$zero: $.maxAttempts: must be at least 1: 0"
                refused(*command.toTypedArray(), "$folder") shouldContain "is a folder"
            }
        }

        test("converge names what it cannot do") {
            refused("converge", "--seeds", "0") shouldContain "$.seeds: must be a whole number from 1..1000: 0"
            refused("converge", "--only", "zzz") shouldContain "no condition has this in its name: zzz"
            refused("converge", "nope") shouldContain "no preset, no file and no policy document: nope"
        }

        test("two policies of one name are refused") {
            refused("compare", "a=standard-2.1", "a=none") shouldContain "two policies are called a"
        }

        test("a picture that cannot be drawn is refused") {
            refused("explain", "standard-2.1", "--plot", "x.gif") shouldContain "must end in .svg or .png: x.gif"
            refused("explain", "none", "--plot", "x.svg") shouldContain "nothing to plot"
            refused("explain", "standard-2.1", "--plot", "$zero/x.svg") shouldContain "cannot write $zero/x.svg"
        }
    })
