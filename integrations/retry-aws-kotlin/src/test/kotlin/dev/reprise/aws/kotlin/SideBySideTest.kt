package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.retries.StandardRetryStrategy
import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** How many requests a call makes that meets [replies] in order, and the type of what it throws. */
private fun play(strategy: RetryStrategy, vararg replies: Reply): Pair<Int, String?> =
    ScriptedServer(*replies).use { server ->
        val failure = inTime { dynamo(server, strategy).use { runCatching { it.listTables() } } }.exceptionOrNull()
        server.requests.size to failure?.let { it::class.simpleName }
    }

private fun ours(preset: RetryPolicy, verdicts: SdkVerdicts) = RepriseRetryStrategy {
    retrier = Notes().retrier(preset)
    sdkVerdicts = verdicts
}

/** The preset of the SDK for Kotlin beside the SDK, each in a real client. */
class SideBySideTest :
    FunSpec({
        val preset = Presets.named("kotlin-standard")
        val scripts = mapOf(
            "500" to arrayOf(Reply.Status(500)),
            "an error of the service" to arrayOf(Reply.Status(500, "InternalServerError")),
            "a throttle" to arrayOf(Reply.Status(400, "ThrottlingException")),
            "a throttle of the service's model" to arrayOf(Reply.Status(400, "ProvisionedThroughputExceededException")),
            "a timeout that the service tells" to arrayOf(Reply.Status(400, "RequestTimeout")),
            "429 without a code" to arrayOf(Reply.Status(429)),
            "408" to arrayOf(Reply.Status(408)),
            "an error in the code alone" to arrayOf(Reply.Status(400, "InternalError")),
            "the client's own mistake" to arrayOf(Reply.Status(400, "ValidationException")),
            "a connection that is closed" to arrayOf(Reply.Drop, OK),
            "a body that is cut" to arrayOf(Reply.Cut, OK),
        )

        test("under LIMIT the preset ends each call as the SDK does") {
            for ((name, replies) in scripts) {
                withClue(name) {
                    play(ours(preset, SdkVerdicts.LIMIT), *replies) shouldBe play(StandardRetryStrategy(), *replies)
                }
            }
        }

        test("by itself the preset differs in one thing: a body that is cut is retried") {
            val different = scripts.filterValues { replies ->
                play(ours(preset, SdkVerdicts.ADD), *replies) != play(StandardRetryStrategy(), *replies)
            }
            different.keys shouldBe setOf("a body that is cut")
        }
    })
