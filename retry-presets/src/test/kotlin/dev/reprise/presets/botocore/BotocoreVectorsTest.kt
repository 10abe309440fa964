package dev.reprise.presets.botocore

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.Presets
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.sdk.Client
import dev.reprise.presets.sdk.Response
import dev.reprise.presets.sdk.double
import dev.reprise.presets.sdk.doubleOrNull
import dev.reprise.presets.sdk.flag
import dev.reprise.presets.sdk.int
import dev.reprise.presets.sdk.millis
import dev.reprise.presets.sdk.nearly
import dev.reprise.presets.sdk.rows
import dev.reprise.presets.sdk.textOrNull
import dev.reprise.presets.sdk.vectors
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import java.net.ConnectException
import java.net.SocketException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import javax.net.ssl.SSLException

class BotocoreVectorsTest :
    FunSpec({
        val all = vectors("botocore-legacy.json")
        val model = RetryModel.builtIn

        /** Plays a call whose attempt number [attempt] ends with [outcome]; the ones before it failed with a 500. */
        fun play(policy: RetryPolicy, attempt: Int, outcome: Any) = Client(policy, u = 0.5).begin().also { call ->
            repeat(attempt - 1) { if (!call.isOver) call.ends(Response(500)) }
            if (!call.isOver) call.ends(outcome)
        }

        fun check(row: JsonObject, policy: RetryPolicy, outcome: Any) {
            val call = play(policy, row.int("attempt"), outcome)
            withClue("$row") {
                call.isOver shouldBe !row.flag("retry")
                if (row.flag("retry")) call.delayMillis shouldBe nearly(row.double("delay_s") * 1000)
            }
        }

        test("delays are the model's; those that overflow there saturate") {
            for (row in all.rows("delays")) {
                val isRandom = row.textOrNull("base") == "rand"
                val base = if (isRandom) "\"rand\"" else row.textOrNull("base")
                val text =
                    """{"retry": {"__default__": {"max_attempts": 5, "policies": {},
                       "delay": {"type": "exponential", "base": $base, "growth_factor": ${row.int(
                        "growth_factor",
                    )}}}}}"""
                withClue("$row") {
                    if (row.textOrNull("raises") == "ValueError") {
                        shouldThrow<PolicyFormatException> { RetryModel.read(text) }.path shouldBe
                            "$.retry.__default__.delay.base"
                    } else {
                        val delay = RetryModel.read(text).resolve().backoff.millis(
                            row.int("attempts") - 1,
                            row.doubleOrNull("rand") ?: 1.0,
                        )
                        val recorded = row.doubleOrNull("delay_s") ?: Double.MAX_VALUE
                        val expected = minOf(recorded * 1000, Long.MAX_VALUE / 1e6)
                        if (recorded < 1e9) {
                            delay shouldBe nearly(expected)
                        } else {
                            (delay in expected / 2..expected) shouldBe true
                        }
                    }
                }
            }
        }

        test("each service's rules are the defaults with its own merged over them") {
            for (row in all.rows("effective_config")) {
                val policy = model.resolve(row.textOrNull("service"))
                val delay = row.getValue("delay").jsonObject
                val base = delay.doubleOrNull("base")
                withClue(row.textOrNull("service")) {
                    policy.maxAttempts shouldBe row.int("max_attempts")
                    policy.backoff shouldBe ExponentialBackoff(
                        ((base ?: 1.0) * 1e9).toLong(),
                        factor = delay.double("growth_factor"),
                        jitter = if (base == null) Jitter.FULL else Jitter.NONE,
                    )
                    policy.classifier shouldBe classifier(row.getValue("policies").jsonObject)
                }
            }
        }

        test("conditions are botocore's, for each service") {
            for (row in all.rows("decisions")) check(row, model.resolve(row.textOrNull("service")), Response.of(row))
        }

        test("the last attempt is botocore's, for each service") {
            for (row in all.rows("max_attempts")) {
                val policy = model.resolve(row.textOrNull("service"))
                val call = play(policy, row.int("attempt"), Response.of(row))
                withClue("$row") {
                    call.isOver shouldBe !row.flag("retry")
                    if (row.flag("retry")) call.delayMillis shouldBe nearly(row.double("delay_s") * 1000)
                    if (!row.flag("retry")) call.attempts shouldBe minOf(row.int("attempt"), policy.maxAttempts)
                }
            }
        }

        test("failures of the connection are retried up to the last attempt, and nothing else is") {
            val failures = mapOf(
                "ConnectionError" to SocketException(),
                "ConnectionClosedError" to SocketException("Connection reset"),
                "ProxyConnectionError" to ConnectException("proxy"),
                "ConnectTimeoutError" to SocketTimeoutException("connect"),
                "ReadTimeoutError" to SocketTimeoutException("read"),
                "EndpointConnectionError" to UnknownHostException(),
                "SSLError" to SSLException("?"),
                "ValueError" to IllegalArgumentException(),
            )
            for (row in all.rows("exceptions")) {
                // HTTPClientError, ResponseStreamingError and IncompleteReadError have no counterpart on the JVM.
                val failure = failures[row.textOrNull("exception")] ?: continue
                val call = play(model.resolve(row.textOrNull("service")), row.int("attempt"), failure)
                withClue("$row") {
                    call.isOver shouldBe !row.flag("retry")
                    if (row.flag("retry")) call.delayMillis shouldBe nearly(row.double("delay_s") * 1000)
                }
            }
        }

        test("DynamoDB's bodies are checked; a header that is no number is skipped, where botocore raises") {
            for (row in all.rows("crc32")) {
                val headers = row.textOrNull("header_value")?.let { mapOf("x-amz-crc32" to it) }.orEmpty()
                val response =
                    Response(row.int("status"), headers = headers, body = row.textOrNull("body")!!.encodeToByteArray())
                val call = play(
                    model.resolve(row.textOrNull("service")).with { maxAttempts = 10 },
                    row.int("attempt"),
                    response,
                )
                withClue("$row") {
                    call.isOver shouldBe !row.flag("retry")
                    if (row.flag("retry")) call.delayMillis shouldBe nearly(row.double("delay_s") * 1000)
                }
            }
        }

        test("a client's max_attempts counts retries") {
            for (row in all.rows("client_override")) {
                val policy = model.resolve(row.textOrNull("service")).with {
                    maxAttempts = row.int("client_max_attempts_meaning_retries") + 1
                }
                policy.maxAttempts shouldBe row.int("effective_max_attempts")
                for (result in row.rows("results")) {
                    val call = play(policy, result.int("attempt"), Response(500))
                    withClue("$row, $result") {
                        call.isOver shouldBe !result.flag("retry")
                        result.doubleOrNull("delay_s")?.let { call.delayMillis shouldBe nearly(it * 1000) }
                    }
                }
            }
        }

        test("operations add policies to their service's") {
            val synthetic = RetryModel.read(all.getValue("synthetic_config").toString())
            for (row in all.rows("operation_overrides")) {
                val policy = synthetic.resolve(row.textOrNull("service"), row.textOrNull("operation"))
                val outcome = if ("exception" in row) SocketTimeoutException() else Response.of(row)
                val state = policy.classifier.let {
                    if (outcome is Throwable) it.classifyFailure(outcome) else it.classifyResult(outcome)
                }
                val isRetried = state is Verdict.Retry && row.int("attempt") < policy.maxAttempts
                withClue("$row") {
                    isRetried shouldBe row.flag("retry")
                    row.doubleOrNull("delay_s")?.let {
                        policy.backoff.millis(row.int("attempt") - 1, 0.5) shouldBe nearly(it * 1000)
                    }
                }
            }
        }

        test("models that are wrong are refused with a path") {
            for (row in all.rows("config_errors")) {
                val policy = row["applies_when"]?.let { """{"applies_when": $it}""" } ?: """{"${'$'}ref": "nope"}"""
                val text =
                    """{"definitions": {}, "retry": {"__default__": {"max_attempts": 5, "policies": {"p": $policy},
                       "delay": {"type": "exponential", "base": 1, "growth_factor": 2}}}}"""
                withClue("$row") {
                    shouldThrow<PolicyFormatException> { RetryModel.read(text) }.path
                        .startsWith("$.retry.__default__.policies.p") shouldBe true
                }
            }
        }

        test("resolving a service never changes another") {
            val before = model.resolve("codecommit")
            model.resolve("organizations").classifier.classifyResult(Response(429)) shouldBe Verdict.Reject
            model.resolve("codecommit") shouldBe before
            before.classifier.classifyResult(Response(429)) shouldBe Verdict.Retry(FailureKind.THROTTLING, "status 429")
        }

        test("real clients make as many attempts, in legacy and in standard mode") {
            val modes = mapOf(
                "legacy" to "botocore-legacy",
                "standard" to "standard-2.0",
                "default" to "botocore-legacy",
            )
            val flagged =
                mapOf("legacy" to "botocore-legacy", "standard" to "standard-2.1", "default" to "standard-2.1")
            for ((rows, names) in listOf("real_clients_flag_off" to modes, "real_clients_flag_on" to flagged)) {
                for (row in all.rows(rows)) {
                    // 429 without a code is retried by this library in standard mode; botocore does not, nor after the fault
                    // that is checked above.
                    val is429 = "429" in row.textOrNull("result")!!
                    val isLegacy = row.textOrNull("mode") == "legacy" && "organizations" !in row.textOrNull("note")!!
                    if (is429 && !isLegacy) continue
                    val policy = Presets.named(names.getValue(row.textOrNull("mode")!!), row.textOrNull("service"))
                    val call = Client(policy, u = 0.5).call(List(15) { Response(if (is429) 429 else 500) })
                    withClue("$row") { call.attempts shouldBe row.int("attempts") }
                }
            }
        }
    })

private fun classifier(policies: JsonObject): Classifier {
    val responses = policies.values.mapNotNull { it.jsonObject["response"]?.jsonObject }
    val rules =
        responses.filter { "http_status_code" in it }.map { response ->
            val status = response.int("http_status_code")
            val code = response.textOrNull("service_error_code")
            val isThrottling = if (code == null) status == 429 else code in ErrorTable.THROTTLING_CODES
            ErrorRule(
                if (isThrottling) FailureKind.THROTTLING else FailureKind.TRANSIENT,
                setOfNotNull(code),
                Statuses.of(status),
            )
        }
    val checks = responses.mapNotNull { it.textOrNull("crc32body") }.map { Crc32Check(it) }
    return Classifier.firstOf(SelfClassifier, *checks.toTypedArray(), ErrorTable(rules), TransportErrors)
}
