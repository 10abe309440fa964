@file:OptIn(ExperimentalCoroutinesApi::class, InternalAPI::class)

package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpSend
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.SendCountExceedException
import io.ktor.client.plugins.ServerResponseException
import io.ktor.client.plugins.api.Send
import io.ktor.client.plugins.api.createClientPlugin
import io.ktor.client.plugins.cache.HttpCache
import io.ktor.client.plugins.cookies.HttpCookies
import io.ktor.client.plugins.logging.LogLevel
import io.ktor.client.plugins.logging.Logger
import io.ktor.client.plugins.logging.Logging
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.get
import io.ktor.client.request.header
import io.ktor.client.request.parameter
import io.ktor.client.request.request
import io.ktor.client.request.takeFrom
import io.ktor.client.statement.bodyAsText
import io.ktor.client.statement.request
import io.ktor.http.HttpStatusCode
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import io.ktor.utils.io.toByteArray
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlin.time.Duration

class NeighboursTest :
    FunSpec({
        virtual("with expectSuccess the caller gets the last response's exception, with the trace") {
            val client = MockClient(this, handler = status(503, "overloaded"), before = { expectSuccess = true })

            val thrown = shouldThrow<ServerResponseException> { client.http.get("http://localhost/") }

            thrown.response.bodyAsText() shouldBe "overloaded"
            RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
            client.requests shouldHaveSize 3
        }

        test("a client with HttpRequestRetry is refused when it is created") {
            val refusal = shouldThrow<IllegalStateException> {
                HttpClient(MockEngine { respond("") }) {
                    install(HttpRequestRetry)
                    install(Retry)
                }
            }

            refusal.message shouldContain "remove install(HttpRequestRetry)"
        }

        virtual("HttpRequestRetry after the plugin is refused at the first request") {
            val client = MockClient(this, handler = answering(200), after = { install(HttpRequestRetry) })

            shouldThrow<IllegalStateException> { client.http.get("http://localhost/") }
                .message shouldContain "must not have both"
            client.requests shouldHaveSize 0
        }

        test("a policy with more attempts than HttpSend lets through is refused when the client is created") {
            val refusal = shouldThrow<IllegalArgumentException> {
                HttpClient(MockEngine { respond("") }) { install(Retry) { policy = RetryPolicy { maxAttempts = 30 } } }
            }

            refusal.message shouldContain "install(HttpSend) { maxSendCount"
        }

        test("with HttpSend's limit lifted a call makes all of its attempts") {
            val client = HttpClient(MockEngine { respond("", HttpStatusCode.ServiceUnavailable) }) {
                install(HttpSend) { maxSendCount = 30 }
                install(Retry) {
                    policy = RetryPolicy {
                        maxAttempts = 30
                        backoff = Backoff.fixed(Duration.ZERO)
                    }
                    sendLimit = 30
                }
            }

            client.get("http://localhost/").retryReport.attempts shouldBe 30
        }

        virtual("a request that asks for more attempts than HttpSend lets through is refused before it is sent") {
            val client = MockClient(this, handler = answering(503))

            val refusal = shouldThrow<IllegalArgumentException> {
                client.http.get("http://localhost/") { retryPolicy { maxAttempts = 30 } }
            }

            refusal.message shouldContain "install(HttpSend) { maxSendCount"
            client.requests shouldHaveSize 0
        }

        virtual("with HttpSend's limit lifted a request may ask for more attempts") {
            val client =
                MockClient(this, handler = answering(503), before = { install(HttpSend) { maxSendCount = 30 } }) {
                    sendLimit = 30
                }

            val response = client.http.get("http://localhost/") { retryPolicy { maxAttempts = 30 } }

            response.retryReport.attempts shouldBe 30
        }

        virtual("shared retriers of more attempts than HttpSend lets through are refused at the first request") {
            val client = MockClient(this, RetryPolicy { maxAttempts = 21 }, handler = answering(200))

            shouldThrow<IllegalArgumentException> { client.http.get("http://localhost/") }
            client.requests shouldHaveSize 0
        }

        virtual("a sendLimit beyond what HttpSend really allows ends the call in Ktor's own words") {
            val client = MockClient(this, handler = answering(503)) { sendLimit = 30 }

            val thrown = shouldThrow<SendCountExceedException> {
                client.http.get("http://localhost/") { retryPolicy { maxAttempts = 30 } }
            }

            RetryTrace.of(thrown)!!.reason shouldBe StopReason.REJECTED
            client.requests shouldHaveSize 20
        }

        for ((where, place) in placements) {
            virtual("a rejected response's cookie is sent with the next attempt: HttpCookies $where the plugin") {
                val (before, after) = place { install(HttpCookies) }
                val client = MockClient(
                    this,
                    handler = scripted(status(503, "", "Set-Cookie" to "node=7"), status(200)),
                    before = before,
                    after = after,
                )

                client.http.get("http://localhost/")

                client.requests.map { it.headers["Cookie"] } shouldBe listOf(null, "node=7")
            }

            virtual("every attempt is logged, and bodies stay readable: Logging $where the plugin") {
                val lines = mutableListOf<String>()
                val (before, after) = place {
                    install(Logging) {
                        level = LogLevel.ALL
                        logger = object : Logger {
                            override fun log(message: String) {
                                lines += message
                            }
                        }
                    }
                }
                val client = MockClient(
                    this,
                    handler = scripted(status(503, "overloaded"), status(200, "there")),
                    before = before,
                    after = after,
                )

                client.http.get("http://localhost/").bodyAsText() shouldBe "there"

                lines.count { it.startsWith("REQUEST") } shouldBe 2
            }

            virtual("a plugin that reads a rejected body while the call goes on gets all of it: $where the plugin") {
                val bodies = mutableListOf<ByteReadChannel>()
                val (before, after) = place {
                    install(createClientPlugin("Observing") { onResponse { bodies += it.rawContent } })
                }
                val handler = scripted(status(503, "overloaded"), status(200, "there"))
                val client = MockClient(this, handler = handler, before = before, after = after)

                client.http.get("http://localhost/").retryReport.attempts shouldBe 2

                bodies.first().toByteArray().decodeToString() shouldBe "overloaded"
            }

            virtual("what is cached is not asked for, and a 503 is not cached: HttpCache $where the plugin") {
                val (before, after) = place { install(HttpCache) }
                val client = MockClient(
                    this,
                    handler = scripted(status(503), status(200, "kept", "Cache-Control" to "max-age=60")),
                    before = before,
                    after = after,
                )

                repeat(2) { client.http.get("http://localhost/").bodyAsText() shouldBe "kept" }

                client.requests shouldHaveSize 2
            }
        }

        for ((where, place) in placements) {
            virtual("what HttpCache alone is asked for and lacks is no reason to wait: HttpCache $where the plugin") {
                val (before, after) = place { install(HttpCache) }
                val client = MockClient(this, handler = answering(200), before = before, after = after)

                val response = client.http.get("http://localhost/") {
                    header("Cache-Control", "max-stale=60, only-if-cached")
                }

                response.status.value to response.retryReport.attempts shouldBe (504 to 1)
                client.requests shouldHaveSize 0
            }
        }

        virtual("each attempt asks once for what HttpCache has kept") {
            val kept = status(200, "kept", "Cache-Control" to "max-age=0", "ETag" to "\"7\"")
            val steps = arrayOf(kept, status(503), status(503), status(304))
            val client = MockClient(this, handler = scripted(*steps), after = { install(HttpCache) })

            val attempts = List(2) {
                client.http.get("http://localhost/").run {
                    bodyAsText() shouldBe "kept"
                    retryReport.attempts
                }
            }

            attempts shouldBe listOf(1, 3)
            client.requests.map { it.headers.getAll("If-None-Match") } shouldBe
                listOf(null, listOf("\"7\""), listOf("\"7\""), listOf("\"7\""))
        }

        for ((what, timeout) in mapOf<String, HttpClientConfig<*>.() -> Unit>(
            "alone" to {},
            "with HttpTimeout" to { install(HttpTimeout) { requestTimeoutMillis = 60_000 } },
        )) {
            virtual("what a plugin adds within an attempt is not there in the next one: $what") {
                var number = 0
                val signing = createClientPlugin("Signing") {
                    on(Send) { request ->
                        request.header("X-Signature", ++number)
                        request.parameter("signed", number)
                        proceed(request)
                    }
                }
                val client = MockClient(
                    this,
                    handler = answering(503, 503, 200),
                    after = {
                        timeout()
                        install(signing)
                    },
                )

                client.http.get("http://localhost/") { header("X-Own", "7") }

                client.requests.map { it.headers.getAll("X-Signature") } shouldBe (1..3).map { listOf("$it") }
                client.requests.map { it.url.parameters.getAll("signed") } shouldBe (1..3).map { listOf("$it") }
                client.requests.map { it.headers.getAll("X-Own") } shouldBe List(3) { listOf("7") }
            }
        }

        virtual("attempts are told apart on the wire") {
            val client = MockClient(this, handler = answering(503, 503, 200)) {
                amzHeaders = true
                attemptHeader = "X-Attempt"
                eachAttempt { attempt -> headers["X-Last"] = "${attempt.isLast}" }
            }

            client.http.get("http://localhost/")

            val headers = client.requests.map { it.headers }
            headers.map { it["amz-sdk-request"] } shouldBe (1..3).map { "attempt=$it; max=3" }
            headers.map { it["amz-sdk-invocation-id"] }.distinct() shouldHaveSize 1
            headers.map { it["X-Attempt"] } shouldBe listOf("1", "2", "3")
            headers.map { it["X-Last"] } shouldBe listOf("false", "false", "true")
        }

        virtual(
            "a number is of one attempt: the request of a response, sent again, begins anew; a caller's own stays",
        ) {
            val cases = listOf(null to listOf(null, "attempt=2"), "7" to listOf("7", "7"))
            for ((own, first) in cases) {
                val client = MockClient(this, handler = answering(503, 200, 503, 200))
                val response = client.http.get("http://localhost/") { own?.let { header("amz-sdk-request", it) } }

                client.http.request(HttpRequestBuilder().takeFrom(response.request))

                client.requests.map { it.headers["amz-sdk-request"] } shouldBe first + first
            }
        }
    })

/** Where a plugin stands. */
internal class Placement(
    val before: HttpClientConfig<*>.() -> Unit = {},
    val after: HttpClientConfig<*>.() -> Unit = {},
) {
    operator fun component1() = before

    operator fun component2() = after
}

/** Before this plugin and after it. */
internal val placements = listOf<Pair<String, (HttpClientConfig<*>.() -> Unit) -> Placement>>(
    "before" to { plugin -> Placement(before = plugin) },
    "after" to { plugin -> Placement(after = plugin) },
)
