package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.StopReason
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.net.ConnectException
import java.net.SocketException
import java.net.SocketTimeoutException
import kotlin.math.abs

class JavaScriptVectorsTest :
    FunSpec({
        val all = vectors("js-v2.json")

        test("delays are a draw from all of the doubled base, without a cap") {
            for (row in all.rows("delays")) {
                val base = if (row.textOrNull("base_ms") == "default(100)") 100 else row.int("base_ms")
                val actual = ExponentialBackoff(base * 1_000_000L).millis(row.int("retry_count"), row.double("u"))
                val recorded = row.doubleOrNull("delay_ms")
                withClue("$row") {
                    when {
                        // Not a number there: 0 times infinity.
                        recorded == null || recorded.isNaN() -> actual shouldBe 0.0

                        recorded > LONGEST_MILLIS -> (actual <= LONGEST_MILLIS) shouldBe true

                        else -> actual shouldBe (recorded plusOrMinus 1e-6 + abs(recorded) * 1e-15)
                    }
                }
            }
        }

        test("DynamoDB has a base of 50 ms") {
            val backoff = Presets.named("js-v2", "dynamodb").backoff
            for (row in all.rows("dynamodb_delays")) {
                backoff.millis(row.int("retry_count"), row.double("u")) shouldBe row.double("delay_ms")
            }
        }

        test("a negative custom backoff stops the call") {
            val policy = Presets.named("js-v2").with { backoff = Backoff.custom { _ -> null } }
            val call = Client(policy).call(listOf(Response(500)))
            call.attempts shouldBe 1
            call.isOver shouldBe true
            // The other two rows are about values that are no numbers and no functions, which Kotlin does not compile.
            val ignored = all.rows("custom_backoff").first { it.textOrNull("name") == "non-number base ignored" }
            Presets.named("js-v2").backoff.millis(ignored.int("retry_count"), ignored.double("u")) shouldBe
                ignored.double("delay_ms")
        }

        test("retries are the SDK's") {
            for (row in all.rows("max_retries").filter { "default_max_retries" in it }) {
                withClue("$row") {
                    Presets.named("js-v2", row.textOrNull("service")).maxAttempts shouldBe
                        row.int("default_max_retries") + 1
                }
            }
        }

        test("conditions are the SDK's, for each service") {
            for (row in all.rows("decisions")) {
                // A policy does not see the operation: whatever has a 200 with such a code counts as one of these.
                row.textOrNull("operation")?.let { ERRORS_IN_200 shouldContain it }
                val policy = Presets.named("js-v2", row.textOrNull("service"))
                withClue("$row") { (kindOf(policy, Response.of(row)) != "none") shouldBe row.flag("retryable") }
            }
        }

        test("an expired signature is repeated under each code that services have for it") {
            val codes =
                listOf("Invalid", "Incomplete").flatMap { listOf("${it}Signature", "${it}SignatureException") } +
                    listOf("SignatureDoesNotMatch", "SignatureExpired")
            for (code in codes) {
                fun kind(message: String?) = kindOf(Presets.named("js-v2"), Response(403, code, errorMessage = message))
                withClue(code) {
                    kind("Signature expired: 20261125T000000Z is now earlier than 20261125T001500Z") shouldBe
                        "transient"
                    kind("Signature not yet current") shouldBe "none"
                    kind(null) shouldBe "none"
                }
            }
        }

        test("S3's errors in a 200 are repeated if their codes are known, and elsewhere such a response is good") {
            for ((code, kind) in mapOf("InternalError" to "transient", "SlowDown" to "transient", "Odd" to "none")) {
                kindOf(Presets.named("js-v2", "s3"), Response(200, code)) shouldBe kind
                kindOf(Presets.named("js-v2"), Response(200, code)) shouldBe "none"
            }
        }

        for (flow in all.rows("request_flows")) {
            val name = flow.textOrNull("name")!!
            test("whole client: $name") {
                val service = if (name.startsWith("dynamodb")) "dynamodb" else null
                val preset = Presets.named("js-v2", service)
                val renewsCredentials = "ExpiredToken" in name
                val policy = preset.with {
                    if ("maxRetries 0" in name) maxAttempts = 1
                    if (renewsCredentials) classifier = expired or classifier
                }
                val responses = flow.rows("responses").map(::outcome)
                val call = Client(policy, u = flow.double("u")).begin()
                val delays = mutableListOf<Double?>()
                for (response in responses) {
                    call.ends(response)
                    if (!call.isAccepted) delays += call.delayMillis.takeIf { !call.isOver }
                }
                call.attempts shouldBe flow.int("requests_sent")
                call.isAccepted shouldBe (flow.textOrNull("result") == "success")
                delays shouldBe flow.rows("retry_decisions").map { it.doubleOrNull("delay_ms") }
            }
        }

        for (flow in all.rows("http_helper_flows")) {
            val name = flow.textOrNull("name")!!
            test("HTTP helper: $name") {
                val options = flow.getValue("options").jsonObject
                val base = options["retryDelayOptions"]?.jsonObject?.intOrNull("base") ?: 100
                val policy = Presets.named("js-v2-http-helper").with {
                    maxAttempts = options.int("maxRetries") + 1
                    backoff = ExponentialBackoff(base * 1_000_000L)
                    if ("negative custom" in name) backoff = Backoff.custom { _ -> null }
                }
                val call = Client(policy, u = flow.double("u")).begin()
                val slept = mutableListOf<Double>()
                for (response in flow.rows("responses")) {
                    call.ends(outcome(response))
                    if (!call.isOver) slept += call.delayMillis
                }
                call.attempts shouldBe flow.int("requests_sent")
                slept shouldBe flow.getValue("slept_ms").jsonArray.map { it.jsonPrimitive.double }
                call.isAccepted shouldBe (flow.textOrNull("result") == "success")
            }
        }

        test("the helper reads the seconds that Retry-After begins with, and a negative wish shortens the wait") {
            fun waits(header: String): Double {
                val call = Client(Presets.named("js-v2-http-helper"), u = 0.5).begin()
                call.ends(Response(503, headers = mapOf("retry-after" to header)))
                return call.delayMillis
            }
            waits("2 apples") shouldBe 2050.0
            waits(" +3") shouldBe 3050.0
            waits("1.9") shouldBe 1050.0
            waits("apples") shouldBe 50.0
            waits("-5") shouldBe 0.0
        }

        test("a call that is out of retries ends with its last response") {
            Client(Presets.named("js-v2")).call(List(4) { Response(503) }).reason shouldBe StopReason.ATTEMPTS
        }
    }) {
    private companion object {
        /** The operations of S3 whose 200 may hold an error. */
        val ERRORS_IN_200 = listOf("completeMultipartUpload", "copyObject", "uploadPartCopy")

        /** As long as a `Long` of ns can say. */
        const val LONGEST_MILLIS = Long.MAX_VALUE / 1e6

        /** For attempts that fetch new credentials, as the SDK's clients do. */
        val expired: Classifier =
            ErrorTable(ErrorRule(FailureKind.TRANSIENT, setOf("ExpiredToken", "RequestExpired")))
                .let { table ->
                    Classifier.results {
                        (it as? Response)?.takeIf { r -> r.errorCode != null }?.let(table::classifyResult)
                    }
                }

        fun outcome(row: JsonObject): Any = when (row.textOrNull("error")) {
            "TimeoutError" -> SocketTimeoutException()

            "ECONNRESET" -> SocketException("Connection reset")

            "ECONNREFUSED" -> ConnectException()

            else -> {
                val code = row.textOrNull("body")?.substringAfter("__type\":\"", "")?.substringBefore('"')
                val headers = row["headers"]?.takeIf { it !is JsonNull }?.jsonObject
                Response(
                    row.int("status"),
                    code?.takeIf { it.isNotEmpty() },
                    headers?.mapValues { it.value.jsonPrimitive.content }.orEmpty(),
                    body = (row.textOrNull("body") ?: "{}").encodeToByteArray(),
                )
            }
        }
    }
}
