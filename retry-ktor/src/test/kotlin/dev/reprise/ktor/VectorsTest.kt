@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.build.VectorWords
import dev.reprise.build.Vectors
import dev.reprise.core.CallOptions
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.request.get
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The cases of standard mode 2.1, played through the plugin: responses in, requests and waits out. */
class VectorsTest :
    FunSpec({
        for (case in Vectors.read("standard-2.1.json").getValue("cases").jsonArray.map { it.jsonObject }) {
            test(case.text("name")!!) { runTest { play(case) } }
        }
    })

private val reasons = mapOf(
    "success" to StopReason.SUCCESS,
    "max_attempts_exceeded" to StopReason.ATTEMPTS,
    "retry_quota_exceeded" to StopReason.QUOTA,
)

private suspend fun TestScope.play(case: JsonObject) {
    val given = case.getValue("given").jsonObject
    val policy = Presets.named("standard-2.1", given.text("service")).with {
        given["max_attempts"]?.let { maxAttempts = it.jsonPrimitive.int }
        given["max_backoff_ms"]?.let {
            val service = given.text("service")?.let { name -> """, "service": "$name"""" }.orEmpty()
            val capped = """{"preset": "standard-2.1"$service, "backoff": {"cap": "${it.jsonPrimitive.int}ms"}}"""
            backoff = PolicyJson.read(capped).backoff
        }
    }
    val consumed = given["consumed_before"]?.jsonPrimitive?.int ?: 0
    val quota = RetryQuota(500, given["initial_retry_tokens"]?.jsonPrimitive?.int ?: (500 - consumed))
    val options = CallOptions { longPolling = given["long_polling"]?.jsonPrimitive?.boolean ?: false }
    val steps = case.getValue("invocations").jsonArray.map { it.jsonArray.map { step -> step.jsonObject } }
    val answers = steps.flatten().map(::answer).toTypedArray()
    val draw = given["jitter_u"]?.jsonPrimitive?.double ?: VectorWords.DRAW
    val client = MockClient(this, policy, quota, draw, handler = scripted(*answers))

    for (invocation in steps) {
        val before = currentTime
        val response = client.http.get("http://localhost/") { callOptions(options) }

        val expected = invocation.map { it.getValue("expected").jsonObject }
        withClue("$case") {
            response.retryReport.attempts shouldBe expected.size
            response.retryReport.reason shouldBe reasons.getValue(expected.last().text("outcome")!!)
            quota.available shouldBe expected.last().getValue("retry_quota").jsonPrimitive.int
            val waits = expected.sumOf { it["delay_ms"]?.jsonPrimitive?.double ?: 0.0 }
            currentTime - before shouldBe waits.toLong()
        }
    }
    client.requests.size shouldBe steps.sumOf { it.size }
}

private fun answer(step: JsonObject): Handler {
    val response = step.getValue("response").jsonObject
    val headers = response["headers"]?.jsonObject.orEmpty().map { (name, value) -> name to value.jsonPrimitive.content }
    val code = response.text("error_code")?.let {
        "x-amzn-errortype" to "com.amazonaws#$it:http://internal.amazon.com/"
    }
    return status(response.getValue("status").jsonPrimitive.int, "", *(headers + listOfNotNull(code)).toTypedArray())
}

private fun JsonObject.text(name: String) = get(name)?.jsonPrimitive?.content
