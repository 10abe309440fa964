package dev.reprise.aws.kotlin

import aws.sdk.kotlin.services.dynamodb.listTables
import dev.reprise.build.VectorWords
import dev.reprise.build.Vectors
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

private val reasons = mapOf(
    "success" to StopReason.SUCCESS,
    "max_attempts_exceeded" to StopReason.ATTEMPTS,
    "retry_quota_exceeded" to StopReason.QUOTA,
)

private fun JsonObject.text(name: String) = get(name)?.jsonPrimitive?.content

private fun JsonObject.int(name: String) = get(name)?.jsonPrimitive?.int

private val cases: List<JsonObject> =
    Vectors.read("standard-2.1.json").getValue("cases").jsonArray.map { it.jsonObject }

private fun reply(response: JsonObject) = Reply.Status(
    response.int("status")!!,
    response.text("error_code"),
    response["headers"]?.jsonObject.orEmpty().mapValues { it.value.jsonPrimitive.content },
)

private fun policy(given: JsonObject): RetryPolicy = Presets.named("standard-2.1", given.text("service")).with {
    given.int("max_attempts")?.let { maxAttempts = it }
    given.int("max_backoff_ms")?.let {
        val service = given.text("service")?.let { name -> """, "service": "$name"""" }.orEmpty()
        backoff = PolicyJson.read("""{"preset": "standard-2.1"$service, "backoff": {"cap": "${it}ms"}}""").backoff
    }
}

/** The cases of standard mode 2.1, through the real client over HTTP. */
class VectorsTest :
    FunSpec({
        test("all cases are there") { cases shouldHaveSize 18 }

        for (case in cases) {
            test(case.text("name")!!) {
                val given = case.getValue("given").jsonObject
                val calls = case.getValue("invocations").jsonArray.map { it.jsonArray.map(JsonElement::jsonObject) }
                val policy = policy(given)
                val tokens = given.int("initial_retry_tokens") ?: (500 - (given.int("consumed_before") ?: 0))
                val quota = RetryQuota(500, tokens)
                val draw = given["jitter_u"]?.jsonPrimitive?.double ?: VectorWords.DRAW
                val replies = calls.flatten().map { reply(it.getValue("response").jsonObject) }

                ScriptedServer(*replies.toTypedArray()).use { server ->
                    for (call in calls) {
                        val notes = Notes()
                        val strategy = RepriseRetryStrategy {
                            retrier = notes.retrier(policy, quota, draw)
                            if (given.text("long_polling").toBoolean()) longPoll("DynamoDB.ListTables")
                        }
                        server.requests.clear()
                        val end = inTime { dynamo(server, strategy).use { runCatching { it.listTables() } } }

                        val expected = call.map { it.getValue("expected").jsonObject }
                        val reason = reasons.getValue(expected.last().text("outcome")!!)
                        withClue("${notes.events.joinToString("\n")}\n$end") {
                            end.isSuccess shouldBe (reason == StopReason.SUCCESS)
                            notes.all<RetryEvent.CallGaveUp>().map { it.reason } shouldBe
                                listOf(reason).filter { it != StopReason.SUCCESS }
                            server.requests.toList() shouldBe
                                call.indices.map { "attempt=${it + 1}; max=${policy.maxAttempts}" }
                            quota.available shouldBe expected.last().int("retry_quota")
                            val waits = expected.mapNotNull { it["delay_ms"]?.jsonPrimitive?.double }.filter { it > 0 }
                            notes.waits.toList() shouldHaveSize waits.size
                            for ((nanos, millis) in notes.waits zip waits) {
                                nanos / 1e6 shouldBe (millis plusOrMinus 1e-6)
                            }
                        }
                    }
                }
            }
        }
    })
