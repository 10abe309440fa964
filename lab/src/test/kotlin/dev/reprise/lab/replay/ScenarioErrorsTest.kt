package dev.reprise.lab.replay

import com.github.ajalt.clikt.testing.test
import dev.reprise.build.logged
import dev.reprise.lab.input.document
import dev.reprise.lab.input.members
import dev.reprise.lab.retryLab
import dev.reprise.presets.document.PolicyFormatException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith

class ScenarioErrorsTest :
    FunSpec({
        fun outcome(text: String) = """{"calls": [{"outcomes": [$text]}]}"""

        val refused = mapOf(
            "{" to "$: must be JSON",
            "3" to "$: must be an object: 3",
            "{}" to "$: must have the member \"calls\"",
            """[{"calls": []}, {"calls": {}}]""" to "$[1].calls: must be an array: an object",
            """{"calls": [{}]}""" to "$.calls[0]: must have the member \"outcomes\"",
            """{"calls": [], "note": 1}""" to "$.note: unknown member, must be one of name, policy",
            """{"calls": [], "policy": {"preset": "no"}}""" to "$.policy.preset: must be one of",
            """{"calls": [], "policy": {"maxAttempts": 0}}""" to "$.policy.maxAttempts: must be at least 1",
            """{"calls": [], "policy": {"hedge": {"after": "10ms", "maxExtraLoad": 0.1}}}""" to
                "$.policy: must have no hedge, because each attempt has one outcome",
            """{"calls": [], "draws": [0.5, 1.5]}""" to "$.draws[1]: must be a number from 0 to 1: 1.5",
            """{"calls": [], "quota": 501}""" to "$.quota: must be a whole number from 0..500: 501",
            """{"calls": [], "policy": {"quota": null}, "quota": 5}""" to "$.quota: must be absent",
            """{"calls": [], "policy": {"quota": {"type": "ratio"}}, "quota": 5}""" to
                "$.quota: must be absent, because the policy has no token bucket: 5",
            """[{"calls": []}, {"calls": [], "policy": {"preset": "standard-steady"}, "quota": 5}]""" to
                "$[1].quota: must be absent, because the policy has no token bucket: 5",
            """{"calls": [], "startAt": "now"}""" to "$.startAt: must be a number of seconds: \"now\"",
            """{"calls": [], "startAt": 1e99}""" to "$.startAt: must be a number of seconds",
            """{"calls": [], "draws": [.5]}""" to "$.draws[0]: must be a JSON value: .5",
            """{"calls": [], "draws": [0.5f]}""" to "$.draws[0]: must be a JSON value",
            """{"calls": [], "quota": 030}""" to "$.quota: must be a JSON value: 030",
            """{"calls": [], "calls": []}""" to "$.calls: must stand in its object only once",
            """{"calls": [], "policy": {"quota": {"cost": 1, "c\u006fst": 2}}}""" to
                "$.policy.quota.cost: must stand in its object only once",
            outcome("{}") to "$.calls[0].outcomes[0]: must have either \"status\" or \"exception\"",
            outcome("""{"status": 200, "exception": "a.B"}""") to "$.calls[0].outcomes[0]: must have either",
            outcome("""{"status": "200"}""") to "$.calls[0].outcomes[0].status: must be a whole number from 100..599",
            outcome("""{"status": 200, "takes": -1}""") to "$.calls[0].outcomes[0].takes: must not be negative: -1",
            outcome("""{"status": 200, "cause": "a.B"}""") to "$.calls[0].outcomes[0].cause: must be absent",
            outcome(
                """{"exception": "a.B"}""",
            ) to "$.calls[0].outcomes[0].exception: must be a class on the class path",
            outcome("""{"exception": "java.lang.String"}""") to "$.calls[0].outcomes[0].exception: must be a kind of",
            outcome("""{"exception": "java.io.IOException", "cause": {"message": "m"}}""") to
                "$.calls[0].outcomes[0].cause: must have the member \"exception\"",
            outcome("""{"exception": "java.nio.channels.ClosedChannelException", "message": "m"}""") to
                "$.calls[0].outcomes[0].exception: must have a public constructor",
            outcome("""{"status": 500}""") to "$.calls[0].outcomes: must have an outcome for attempt 2",
            "[".repeat(100_000) + "]".repeat(100_000) to "$",
        )
        for ((scenario, message) in refused) {
            test("refuses ${scenario.take(80)}") {
                shouldThrow<PolicyFormatException> { replay(scenario) }.message shouldStartWith message
            }
        }

        test("a class that a scenario names is not run unless it is an exception's") {
            val name = "dev.reprise.lab.replay.Bystander"
            shouldThrow<PolicyFormatException> { replay(outcome("""{"exception": "$name"}""")) }
                .message shouldStartWith "$.calls[0].outcomes[0].exception: must be a kind of"
            System.getProperty(RAN) shouldBe null
            Bystander() shouldNotBe null
            System.getProperty(RAN) shouldBe "true"
        }

        test("what cannot be read ends with 2 and one line that names the file, and prints nothing else") {
            val file = tempfile(suffix = ".json")
            file.writeText(
                """[{"calls": [{"outcomes": [{"status": 200}]}]}, {"calls": [{"outcomes": [{"status": 500}]}]}]""",
            )
            val result = retryLab().test("replay $file")
            result.statusCode shouldBe 2
            result.stdout shouldBe ""
            result.stderr.trimEnd().lines() shouldHaveSize 1
            result.stderr shouldStartWith "$file: $[1].calls[0].outcomes: must have an outcome for attempt 2"
        }

        test("a name may come twice in two objects, and in a text that looks like one") {
            replay(
                """{"name": "{\"calls\": 1, \"calls\": \\", "calls": [{"outcomes": [{"status": 200}]},
                {"outcomes": [{"status": 200}]}]}""",
            ).size shouldBe 2
        }

        test("the library's own warnings are not among what scripts read") {
            val file = tempfile(suffix = ".json")
            file.writeText(
                """{"policy": {"preset": "js-v2", "maxAttempts": 2}, "calls": [{"outcomes": [{"status": 500}]}]}""",
            )
            logged("dev.reprise") { retryLab().test("replay $file").statusCode shouldBe 2 }.shouldBeEmpty()
        }

        test("a file that is not there ends with 2") {
            val result = retryLab().test("replay /no/such/file")
            result.statusCode shouldBe 2
            result.stderr.trimEnd() shouldEndWith "/no/such/file"
        }

        test("exceptions have the message and the causes that are asked for") {
            val members = document(
                """{"exception": "java.io.UncheckedIOException", "message": "m",
                "cause": {"exception": "java.net.SocketException", "message": "reset", "cause": "java.lang.Error"}}""",
            ).members("exception", "message", "cause")
            val made = Throwables.read(members)
            generateSequence(made) { it.cause }.map { it.toString() }.toList() shouldBe listOf(
                "java.io.UncheckedIOException: m",
                "java.net.SocketException: reset",
                "java.lang.Error",
            )
        }
    })

private const val RAN = "dev.reprise.lab.bystander"

/** Says when it is initialized. */
internal class Bystander {
    companion object {
        init {
            System.setProperty(RAN, "true")
        }
    }
}
