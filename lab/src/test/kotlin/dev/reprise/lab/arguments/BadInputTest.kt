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
                "outage --kind stall" to "needs an attemptTimeout or a deadline",
                "outage --kind fire" to
                    "$.server.failures[0].kind: must be one of \"error\", \"stall\", \"freeze\", \"slow\": ",
                "outage --assert beauty<1" to "beauty is not a figure",
                "throttle --rate 0" to "$positive: 0",
                "throttle --clients -1" to "$.fleet[0].clients: $clients: -1",
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

        test("two policies of one name are refused") {
            refused("compare", "a=standard-2.1", "a=none") shouldContain "two policies are called a"
        }

        test("a picture that cannot be written is refused") {
            refused("compare", "--experiment", "throttle", "--out", "$zero/x", "none") shouldContain
                "cannot write $zero/x"
        }
    })
