package dev.reprise.aws.java

import dev.reprise.build.VectorWords
import dev.reprise.build.Vectors
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.word
import dev.reprise.java.JavaRetrier
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import software.amazon.awssdk.core.exception.SdkServiceException
import software.amazon.awssdk.core.util.VersionInfo

private fun JsonObject.text(name: String) = get(name)?.jsonPrimitive?.content

private fun JsonObject.int(name: String) = get(name)?.jsonPrimitive?.int

private val cases: List<JsonObject> =
    Vectors.read("standard-2.1.json").getValue("cases").jsonArray.map { it.jsonObject }

private fun invocations(case: JsonObject): List<List<JsonObject>> =
    case.getValue("invocations").jsonArray.map { it.jsonArray.map(JsonElement::jsonObject) }

private fun reply(row: JsonObject): Reply {
    val response = row.getValue("response").jsonObject
    val headers = response["headers"]?.jsonObject.orEmpty().mapValues { it.value.jsonPrimitive.content }
    return Reply(response.int("status")!!, response.text("error_code"), headers)
}

private fun policy(given: JsonObject): RetryPolicy = Presets.named("standard-2.1", given.text("service")).with {
    given.int("max_attempts")?.let { maxAttempts = it }
    given.int("max_backoff_ms")?.let {
        val service = given.text("service")?.let { name -> """, "service": "$name"""" }.orEmpty()
        backoff = PolicyJson.read("""{"preset": "standard-2.1"$service, "backoff": {"cap": "${it}ms"}}""").backoff
    }
}

/** The services that a case can be played on: the one that it names, or any. */
private fun servicesOf(given: JsonObject): List<Service> =
    given.text("service")?.let { listOf(Service.valueOf(it.uppercase())) }
        ?: listOf(Service.DYNAMODB, Service.S3, Service.STS)

/** The shared specification's cases, through real clients over HTTP. */
class VectorsTest :
    FunSpec({
        test("all cases are there") { cases shouldHaveSize 18 }

        test("the SDK is the one that the build names") {
            // Not as a constant, which the compiler would copy.
            val version = VersionInfo::class.java.getField("SDK_VERSION").get(null)
            version shouldBe System.getProperty("aws.sdk", "$version")
        }

        val isNightly = System.getProperty("nightly") != null || System.getProperty("aws.versions") != null

        for ((n, case) in cases.withIndex()) {
            for (face in Face.entries) {
                val services = servicesOf(case.getValue("given").jsonObject)
                // Every build plays each case over each kind of client; the nightly run also over every service, both ways.
                for (service in if (isNightly) services else listOf(services[(n + face.ordinal) % services.size])) {
                    for (withHooks in if (isNightly) listOf(true, false) else listOf((n / 3 + face.ordinal) % 2 == 0)) {
                        val how = if (withHooks) "with the plugin" else "as a strategy"
                        test("$service over $face, $how: ${case.text("name")}") { play(case, service, face, withHooks) }
                    }
                }
            }
        }
    })

private fun play(case: JsonObject, service: Service, face: Face, withHooks: Boolean) {
    val given = case.getValue("given").jsonObject
    val rows = invocations(case)
    val replies = rows.flatten().map(::reply)
    val quota = RetryQuota(500, given.int("initial_retry_tokens") ?: (500 - (given.int("consumed_before") ?: 0)))
    val u = given["jitter_u"]?.jsonPrimitive?.double ?: VectorWords.DRAW
    val retrier = JavaRetrier.builder().policy(policy(given)).quota(quota).draws { u }.build()
    val recordings = mutableListOf<Recording>()
    val plugin = Recording.of(RepriseRetryStrategy.sharing(retrier), withHooks, recordings)
    ScriptedServer(service.protocol, *replies.toTypedArray()).use { server ->
        face.client(service, server, plugin).use { client ->
            for (invocation in rows) {
                val from = server.seen.size
                recordings.forEach { it.delays.clear() }

                val failure = failureOf { service.call(client) }

                val expected = invocation.map { it.getValue("expected").jsonObject }
                val requests = server.seen.drop(from)
                withClue("$failure") {
                    requests shouldHaveSize invocation.size
                    quota.available shouldBe expected.last().int("retry_quota")
                    val delays = recordings.single().delays.map { it.toNanos() / 1e6 }
                    val waits = expected.mapNotNull { it["delay_ms"]?.jsonPrimitive?.double }
                    delays shouldHaveSize waits.size
                    for ((delay, wait) in delays zip waits) delay shouldBe (wait plusOrMinus 1e-6)
                    for ((i, request) in requests.withIndex()) {
                        val header = request.headers.getValue("amz-sdk-request").split(Regex(";\\s*"))
                        header shouldContain "attempt=${i + 1}"
                        header shouldContain "max=${retrier.policy().maxAttempts}"
                    }
                    checkEnd(failure, expected.last().text("outcome")!!, requests.size)
                }
            }
        }
    }
}

private fun checkEnd(failure: Throwable?, outcome: String, attempts: Int) {
    if (outcome == "success") {
        failure.shouldBeNull()
        return
    }
    failure.shouldBeInstanceOf<SdkServiceException>().numAttempts() shouldBe attempts
    val trace = failure.suppressed.filterIsInstance<RetryTrace>().single()
    trace.attempts shouldBe attempts
    trace.reason.word shouldBe if (outcome == "retry_quota_exceeded") "quota" else "attempts"
}
