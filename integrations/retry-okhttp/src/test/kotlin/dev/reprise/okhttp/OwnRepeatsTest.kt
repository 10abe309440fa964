package dev.reprise.okhttp

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import okhttp3.Call
import okhttp3.OkHttpClient
import okhttp3.RequestBody.Companion.toRequestBody
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

private val rejectsAll = Classifier.results { Verdict.Reject }

private val policies = mapOf(
    "http" to RetryPolicy.HTTP,
    "standard" to RetryPolicy.STANDARD,
    "none" to RetryPolicy.NONE,
    "any exception" to RetryPolicy.ANY_EXCEPTION,
    "of the user's" to RetryPolicy { maxAttempts = 4 },
    "without opinion" to RetryPolicy { classifier = Classifier.NONE },
    "rejecting every result" to RetryPolicy { classifyFirst(rejectsAll) },
).mapValues { (_, policy) -> policy.with { backoff = Backoff.fixed(1.milliseconds) } }

private fun Face.result(calls: Call.Factory, url: String, method: String) = try {
    send(calls.newCall(request(url, method))).use { "${it.code}" }
} catch (_: IOException) {
    "failed"
}

/** OkHttp's own repeats beside the policy's. */
class OwnRepeatsTest :
    FunSpec({
        test("a response that the policy rejects is told by the rule, and not by all rules") {
            onEachFace { face ->
                RawServer(status(404, "")).use { server ->
                    val report = face.send(face.calls(quickly()).newCall(request(server.url))).use { it.retryReport }
                    report.trace?.detail shouldBe "no rule retries status 404"
                }
            }
        }

        test("no call ends worse than with the bare client, whatever the policy") {
            val faults = mapOf("408" to status(408), "a kept connection that is closed" to Reply.Close)
            for ((fault, reply) in faults) {
                for (method in listOf("GET", "POST")) {
                    fun result(send: (url: String) -> String) =
                        RawServer(status(200, "warm"), reply, status(200, "there")).use { send(it.url) }

                    for (repeats in listOf(true, false)) {
                        fun client() = OkHttpClient.Builder().retryOnConnectionFailure(repeats).build()
                        fun warm(calls: Call.Factory, url: String) =
                            calls.newCall(request(url)).execute().use { it.body.string() }
                        val bare = client()
                        val expected = result { url ->
                            warm(bare, url)
                            Face.FACTORY.result(bare, url, method)
                        }
                        for ((policy, value) in policies) {
                            for (face in listOf(Face.INTERCEPTOR, Face.FACTORY_ENQUEUED)) {
                                val seen = result { url ->
                                    val calls = face.calls(OkHttpRetries.of(JavaRetrier.of(value)), client())
                                    warm(calls, url)
                                    face.result(calls, url, method)
                                }
                                withClue("$face, $fault, $method, own repeats $repeats, policy $policy") {
                                    if (expected == "200") seen shouldBe "200"
                                }
                            }
                        }
                    }
                }
            }
        }

        for (face in Face.entries) {
            test("$face: a stale connection is OkHttp's to replace while the quota pays no retry") {
                RawServer(status(200, "warm"), Reply.Close, status(200, "there")).use { server ->
                    val empty = JavaRetrier.builder(
                        policies.getValue("http"),
                    ).quota(RetryQuota(500, available = 12)).build()
                    val calls = face.calls(OkHttpRetries.of(empty))
                    val bodies = List(2) { face.send(calls.newCall(request(server.url))).use { it.body.string() } }

                    bodies shouldBe listOf("warm", "there")
                    server.requests.size shouldBe 3
                }
            }

            test("$face: a 408 that only OkHttp repeats is repeated once, and counted") {
                RawServer(status(408)).use { server ->
                    face.send(face.calls(quickly { maxAttempts = 4 }).newCall(request(server.url))).use {
                        it.retryReport.attempts to it.retryReport.requests shouldBe (2 to 2)
                    }
                    server.requests.size shouldBe 2
                }
            }

            test("$face: a 408 after another failure is the first one") {
                RawServer(status(503), status(408), status(200)).use { server ->
                    face.send(face.calls(quickly { maxAttempts = 4 }).newCall(request(server.url))).use {
                        it.code to it.retryReport.attempts shouldBe (200 to 3)
                    }
                }
            }

            test("$face: a report stays with its response, also if the request of that is sent again") {
                RawServer(status(503), status(503), status(503), status(200)).use { server ->
                    val calls = face.calls(quickly())
                    val refused = face.send(calls.newCall(request(server.url))).apply { close() }
                    refused.retryReport.attempts shouldBe 3

                    val again = calls.newCall(refused.request.newBuilder().header("X-Again", "1").build())

                    face.send(again).use { it.code to it.retryReport.reason } shouldBe (200 to StopReason.SUCCESS)
                    server.requests.map { it.headers()["amz-sdk-request"] } shouldBe
                        listOf(null, "attempt=2", "attempt=3", null)
                }
            }

            test("$face: the response's request has its caller's own body, which may be sent again as any other") {
                RawServer(status(503), status(307, "", "Location: /"), status(200)).use { server ->
                    val calls = face.calls(quickly())
                    val body = "text".toRequestBody()
                    val asked = request(server.url, "PUT").newBuilder().put(body).noRetry().build()

                    val refused = face.send(calls.newCall(asked)).apply { close() }

                    refused.request.body shouldBeSameInstanceAs body
                    face.send(calls.newCall(refused.request)).use { it.code } shouldBe 200
                    server.requests.size shouldBe 3
                }
            }

            test("$face: a number that the caller has set stays in the response's request") {
                RawServer(status(503), status(200)).use { server ->
                    val retries = OkHttpRetries.builder().policy(policies.getValue("http")).amzHeaders(true).build()
                    for (own in listOf(null, "attempt=7")) {
                        val asked = request(server.url).newBuilder().apply {
                            own?.let { header("amz-sdk-request", it) }
                        }
                        face.send(face.calls(retries).newCall(asked.build())).use {
                            it.request.header("amz-sdk-request") shouldBe own
                        }
                    }
                }
            }

            val failing = mapOf(
                "a 408" to listOf(status(408)),
                "a 503 with Retry-After 0" to listOf(status(503, "", "Retry-After: 0")),
                "a redirect to a 503" to listOf(status(302, "", "Location: /"), status(503)),
            )
            for ((name, replies) in failing) {
                test("$face: the report counts all requests of $name for ever") {
                    RawServer { n, _ -> replies[n % replies.size] }.use { server ->
                        val http = OkHttpRetries.builder().policy(policies.getValue("http")).build()
                        face.send(face.calls(http).newCall(request(server.url))).use {
                            it.retryReport.attempts to it.retryReport.requests shouldBe (3 to server.requests.size)
                        }
                    }
                }
            }
        }

        test("a second interceptor is noticed, also the same one") {
            val one = RetryInterceptor(quickly())
            for (other in listOf(one, RetryInterceptor(quickly()))) {
                RawServer(status(200)).use { server ->
                    val client = OkHttpClient.Builder().addInterceptor(one).addInterceptor(other).build()

                    val thrown = shouldThrow<IllegalStateException> { client.newCall(request(server.url)).execute() }

                    thrown.message!! shouldContain "two RetryInterceptors"
                    server.requests.size shouldBe 0
                }
            }
        }
    })
