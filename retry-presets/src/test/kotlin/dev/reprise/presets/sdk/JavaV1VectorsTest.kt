package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.io.IOException
import java.io.UncheckedIOException
import java.net.SocketTimeoutException
import java.net.UnknownHostException

class JavaV1VectorsTest :
    FunSpec({
        val all = vectors("java-v1.json")

        test("full and equal jitter are whole milliseconds, with the SDK's own ends") {
            for (row in all.rows("delays")) {
                fun backoff(jitter: Jitter) = ExponentialBackoff(
                    baseNanos = row.int("base_ms") * 1_000_000L,
                    capNanos = row.int("max_ms") * 1_000_000L,
                    jitter = jitter,
                )
                val retry = row.int("retries_attempted")
                withClue("$row") {
                    backoff(Jitter.NONE).millis(retry, 1.0) shouldBe row.double("exponential")
                    for ((u, millis) in row.getValue("full_jitter").jsonObject) {
                        backoff(Jitter.FULL_MILLIS_FROM_ONE).millis(retry, u.toDouble()) shouldBe
                            millis.jsonPrimitive.double
                    }
                    for ((u, millis) in row.getValue("equal_jitter").jsonObject) {
                        backoff(Jitter.EQUAL_MILLIS).millis(retry, u.toDouble()) shouldBe millis.jsonPrimitive.double
                    }
                }
            }
        }

        test("each policy has its bases and jitters") {
            for (row in all.rows("policy_delays_u_0.5")) {
                val policy = when (row.textOrNull("policy")) {
                    "default" -> Presets.named("java-v1")
                    "dynamodb" -> Presets.named("java-v1", "dynamodb")
                    else -> Presets.named("java-v1-standard")
                }
                val isThrottling = row.textOrNull("error_code") == "Throttling"
                val kind = if (isThrottling) FailureKind.THROTTLING else FailureKind.TRANSIENT
                withClue("$row") {
                    policy.backoff.millis(row.int("retries_attempted"), 0.5, kind) shouldBe row.double("delay_ms")
                }
            }
        }

        test("conditions are the SDK's") {
            val policy = Presets.named("java-v1")
            for (row in all.rows("decisions").filter { "status" in it }) {
                val expected = if (row.flag("throttling")) {
                    "throttling"
                } else if (row.flag("retry")) {
                    "transient"
                } else {
                    "none"
                }
                withClue("$row") { kindOf(policy, Response.of(row)) shouldBe expected }
            }
        }

        test("an exception is retried if its direct cause is an IOException, or if it is one itself") {
            val policy = Presets.named("java-v1")
            val causes = mapOf(
                "java.net.UnknownHostException" to UnknownHostException(),
                "java.io.UncheckedIOException" to UncheckedIOException(IOException()),
                "java.lang.IllegalStateException" to IllegalStateException(),
                null to null,
            )
            for (row in all.rows("decisions").filter { "cause" in it }) {
                val cause = causes.getValue(row.textOrNull("cause"))
                withClue("$row") { (kindOf(policy, RuntimeException(cause)) != "none") shouldBe row.flag("retry") }
            }
            kindOf(policy, IOException()) shouldBe "transient"
        }

        test("attempts are one more than the SDK's retries") {
            val attempts = all.rows("policies").associate { it.textOrNull("name") to it.int("max_error_retry") + 1 }
            Presets.named("java-v1").maxAttempts shouldBe attempts["DEFAULT"]
            Presets.named("java-v1", "dynamodb").maxAttempts shouldBe attempts["DYNAMODB_DEFAULT"]
            Presets.named("none").maxAttempts shouldBe attempts["NO_RETRY_POLICY"]
            Presets.named("java-v1-standard").maxAttempts shouldBe
                all.getValue("constants").jsonObject.int("standard_mode_max_retries") + 1
        }

        test("the quota gives and takes like the SDK's capacity manager") {
            val quota = RetryQuota(500, 486)
            for (row in all.rows("capacity_manager")) {
                val (verb, tokens) = row.textOrNull("op")!!.split(' ')
                when (verb) {
                    "release" -> quota.refund(tokens.toInt())
                    else -> quota.tryTake(tokens.toInt()) shouldBe row.flag("ok")
                }
                withClue("$row") { quota.available shouldBe row.int("available") }
            }
        }

        for ((index, flow) in all.rows("client_flows").withIndex()) {
            test("whole client, flow $index: ${flow["responses"]}") {
                val isLegacy = flow.textOrNull("retry_mode") == "legacy"
                val policy = Presets.named(if (isLegacy) "java-v1" else "java-v1-standard")
                val client = Client(policy.with { backoff = Backoff.IMMEDIATE }, flow.int("capacity_before"))
                val call = client.begin()
                val levels = mutableListOf<String>()
                for (response in flow.getValue("responses").jsonArray) {
                    if (call.isOver) break
                    levels += "${levels.size}/0/${client.quota!!.available}"
                    call.ends(response(response.jsonPrimitive.content))
                }
                call.attempts shouldBe flow.int("attempts_made")
                client.quota!!.available shouldBe flow.int("capacity_after")
                levels shouldBe flow.getValue("amz_sdk_retry").jsonArray.map { it.jsonPrimitive.content }
                call.isAccepted shouldBe (flow.textOrNull("result") == "success")
            }
        }

        test("a success gives back what was last taken, also if a throttle that was free came after it") {
            val client = Client(Presets.named("java-v1").with { backoff = Backoff.IMMEDIATE }, 400)
            client.call(listOf(Response(500), Response(400, "Throttling"), Response(200)))
            client.quota!!.available shouldBe 400
        }

        test("the 2016 revision draws from 0 to the ceiling, the older condition knows 500 and 503 only") {
            val revision = Presets.named("java-v1-2016").backoff
            revision.millis(0, 0.0) shouldBe 0.0
            revision.millis(0, 0.999999) shouldBe 100.0
            val older = Presets.named("java-v1-500-503")
            val statuses = listOf(500, 502, 503, 504, 429)
            statuses.map { kindOf(older, Response(it)) } shouldBe
                listOf("transient", "none", "transient", "none", "none")
            kindOf(older, Response(400, "Throttling")) shouldBe "throttling"
        }

        test("DynamoDB has a shorter base in each strategy, and its own strategy in standard mode") {
            val policy = Presets.named("java-v1-equal-jitter", "dynamodb")
            policy.maxAttempts shouldBe 11
            policy.backoff.millis(1, 0.0) shouldBe 25.0
            Presets.named("java-v1-standard", "dynamodb").backoff shouldBe Presets.named("java-v1", "dynamodb").backoff
        }
    })

private fun response(text: String): Any {
    if (text == "hang") return SocketTimeoutException()
    val parts = text.split(':')
    return Response(parts[0].toInt(), parts.getOrNull(1))
}
