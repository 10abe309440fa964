package dev.reprise.presets.sdk

import dev.reprise.build.VectorWords
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.StopReason
import dev.reprise.core.shell.values.members
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlin.math.floor
import kotlin.time.Duration.Companion.seconds

private val outcomes = mapOf(
    "success" to StopReason.SUCCESS,
    "retry_request" to null,
    "max_attempts_exceeded" to StopReason.ATTEMPTS,
    "retry_quota_exceeded" to StopReason.QUOTA,
    "fail_request" to StopReason.REJECTED,
)

/** The outcome that [response] describes: a [Response] or an exception. */
internal fun outcome(response: JsonObject): Any =
    response.textOrNull("exception")?.let(VectorWords::exception) ?: Response.of(response)

/** Plays one case of the shared specification's tables. */
internal fun playCase(case: JsonObject, base: RetryPolicy) {
    val given = case.getValue("given").jsonObject
    val cap = given.intOrNull("max_backoff_ms")
    val policy = base.with {
        given.intOrNull("max_attempts")?.let { maxAttempts = it }
        val growing = backoff.members()!!
        if (cap != null) {
            backoff = ExponentialBackoff(
                growing["base"] as Long,
                growing["throttlingBase"] as Long? ?: growing["base"] as Long,
                2.0,
                cap * 1_000_000L,
            )
        }
    }
    val tokens = given.intOrNull("initial_retry_tokens") ?: (500 - (given.intOrNull("consumed_before") ?: 0))
    val client = Client(policy, tokens, given.doubleOrNull("jitter_u") ?: VectorWords.DRAW)
    val options = CallOptions {
        operation = given.textOrNull("operation")
        longPolling = given.flag("long_polling")
    }
    for (invocation in case.getValue("invocations").jsonArray) {
        val call = client.begin(options)
        for (step in invocation.jsonArray.map { it.jsonObject }) {
            call.ends(outcome(step.getValue("response").jsonObject))
            val expected = step.getValue("expected").jsonObject
            withClue("$step") {
                call.reason shouldBe outcomes.getValue(expected.textOrNull("outcome")!!)
                client.quota!!.available shouldBe expected.int("retry_quota")
                call.delayMillis shouldBe nearly(expected.doubleOrNull("delay_ms") ?: 0.0)
            }
        }
    }
}

class Standard21VectorsTest :
    FunSpec({
        val all = vectors("standard-2.1.json")

        for (case in all.rows("cases")) {
            test("case: ${case.textOrNull("name")}") {
                val service = case.getValue("given").jsonObject.textOrNull("service")
                playCase(case, Presets.named("standard-2.1", service))
            }
        }

        val ofSdks =
            vectors("standard-2.1-go.json").rows("cases").map { "the SDK for Go" to it } +
                vectors("standard-smithy-kotlin.json").rows("cases_2_1").map { "smithy-kotlin" to it }
        for ((sdk, case) in ofSdks) {
            test("$sdk's case: ${case.textOrNull("name")}") {
                playCase(case, Presets.named("standard-2.1", case.getValue("given").jsonObject.textOrNull("service")))
            }
        }

        test("a case may leave out its draw, and have exceptions for responses") {
            val case = """
                {
                    "given": {"max_attempts": 2},
                    "invocations": [[
                        {
                            "response": {"exception": "read_timeout"},
                            "expected": {"outcome": "retry_request", "retry_quota": 486, "delay_ms": 50}
                        },
                        {
                            "response": {"exception": "connection_error"},
                            "expected": {"outcome": "max_attempts_exceeded", "retry_quota": 486}
                        }
                    ]]
                }
            """
            playCase(Json.parseToJsonElement(case).jsonObject, Presets.named("standard-2.1"))
            val unknown = Json.parseToJsonElement(case.replace("read_timeout", "timeout")).jsonObject
            shouldThrow<IllegalStateException> { playCase(unknown, Presets.named("standard-2.1")) }
        }

        test("threads that share a quota end at the same total") {
            val case = all.rows("threads").single()
            val client = Client(RetryPolicy { maxAttempts = 5 })
            val threads = case.getValue("threads").jsonArray.map { it.jsonArray.map { step -> step.jsonObject } }
            val calls = threads.map { client.begin() }
            val next = threads.map { it.iterator() }
            for (index in case.getValue("interleaving").jsonArray) {
                val thread = index.toString().toInt()
                val step = next[thread].next()
                calls[thread].ends(Response.of(step.getValue("response").jsonObject))
                client.quota!!.available shouldBe step.getValue("expected").jsonObject.int("retry_quota")
            }
            client.quota!!.available shouldBe case.int("expected_final_quota")
        }

        fun backoff(baseMillis: Int) = ExponentialBackoff(baseMillis * 1_000_000L, capNanos = 20_000_000_000)

        test("delays are botocore's, and the AWS SDK for JavaScript's once they are cut to milliseconds") {
            for (row in all.rows("delays")) {
                withClue("$row") {
                    backoff(row.int("base_ms")).millis(row.int("retry_index"), row.double("u")) shouldBe
                        nearly(row.double("delay_ms"))
                }
            }
            for (row in all.rows("delays_js_v3")) {
                withClue("$row") {
                    floor(backoff(row.int("base_ms")).millis(row.int("retry_index"), row.double("u"))) shouldBe
                        row.double("delay_ms")
                }
            }
        }

        test("x-amz-retry-after is read as recommended") {
            for (row in all.rows("retry_after_header_parsing")) {
                val response = Response(500, headers = mapOf("x-amz-retry-after" to row.textOrNull("header_value")!!))
                val call = Client(RetryPolicy.STANDARD, u = row.double("u")).begin()
                call.ends(response)
                withClue("$row") { call.delayMillis shouldBe row.double("recommended_delay_ms") }
            }
        }

        test("Retry-After under the same clamp waits like the AWS SDK for JavaScript v3") {
            val policy = RetryPolicy {
                serverDelays =
                    listOf(ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, ServerDelayBound.clamp(5.seconds)))
            }
            for (row in all.rows("js_v3_retry_after_seconds_header")) {
                val headers = mapOf(
                    "retry-after" to row.textOrNull("value")!!,
                    "date" to "Tue, 14 Nov 2023 22:13:20 GMT",
                )
                val call = Client(policy, u = row.double("u")).begin()
                call.ends(Response(500, headers = headers))
                withClue("$row") { call.delayMillis shouldBe row.double("delay_ms") }
            }
        }

        test("codes and statuses are classified as recommended") {
            for (row in all.rows("classification")) {
                withClue("$row") {
                    kindOf(RetryPolicy.STANDARD, Response.of(row)) shouldBe row.textOrNull("recommended")
                }
            }
        }
    })
