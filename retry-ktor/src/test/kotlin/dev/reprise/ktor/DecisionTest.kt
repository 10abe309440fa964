@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.shell.http.RetryReport
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.get
import io.ktor.client.request.header
import io.ktor.client.request.post
import io.ktor.client.request.put
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.request.url
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import io.ktor.utils.io.ByteReadChannel
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.ConnectException
import java.nio.channels.UnresolvedAddressException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class DecisionTest :
    FunSpec({
        virtual("a 503 is retried until the server recovers, and the report tells how") {
            val client = MockClient(this, handler = scripted(status(503), status(503), status(200, "there")))

            val response = client.http.get("http://localhost/")

            response.bodyAsText() shouldBe "there"
            response.retryReport.attempts shouldBe 3
            response.retryReport.reason shouldBe StopReason.SUCCESS
            response.retryReport.totalDelay.inWholeMilliseconds shouldBe 150
            client.delays shouldBe listOf(50.milliseconds, 100.milliseconds)
        }

        virtual("a first answer that is good is reported as one attempt") {
            val client = MockClient(this, handler = answering(200))

            client.http.get("http://localhost/").retryReport.attempts shouldBe 1
            client.requests shouldHaveSize 1
        }

        virtual("the last response comes back as it is, body and all, when attempts are used up") {
            val client = MockClient(this, handler = status(503, "overloaded"))

            val response = client.http.get("http://localhost/")

            response.status.value shouldBe 503
            response.bodyAsText() shouldBe "overloaded"
            response.bodyAsText() shouldBe "overloaded"
            response.retryReport.reason shouldBe StopReason.ATTEMPTS
            val trace = response.retryReport.trace.shouldNotBeNull()
            trace.failures.map { it.what } shouldBe List(3) { "status 503" }
        }

        virtual("a 404 is final") {
            val client = MockClient(this, handler = answering(404))

            client.http.get("http://localhost/").retryReport.reason shouldBe StopReason.REJECTED
            client.requests shouldHaveSize 1
        }

        virtual("a request that was sent is repeated if its method, a key or a mark allows it") {
            suspend fun report(name: String, change: HttpRequestBuilder.() -> Unit = {}): RetryReport {
                val client = MockClient(this, handler = answering(503, 200)) { idempotencyKeys += "X-Request-Key" }
                return client.http.request("http://localhost/") {
                    method = HttpMethod(name)
                    change()
                }.retryReport
            }

            for (name in listOf("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE")) report(name).attempts shouldBe 2
            for (name in listOf("POST", "PATCH")) report(name).reason shouldBe StopReason.NOT_REPLAYABLE
            report("POST") { retryPolicy { maxAttempts = 5 } }.reason shouldBe StopReason.NOT_REPLAYABLE
            report("POST") { header("x-request-key", "1") }.attempts shouldBe 2
            report("POST") { idempotent() }.attempts shouldBe 2
        }

        listOf(ConnectException("refused"), UnresolvedAddressException()).forEach { failure ->
            virtual("a POST is repeated when nothing was sent: ${failure.javaClass.simpleName}") {
                val client = MockClient(this, handler = scripted(failing { failure }, status(200)))

                client.http.post("http://localhost/").retryReport.attempts shouldBe 2
            }
        }

        virtual("a one-shot body is never repeated, and the first failure stays what it was") {
            val client = MockClient(this, handler = failing { IOException("reset") })

            val thrown = shouldThrow<IOException> {
                client.http.put("http://localhost/") { setBody(ByteReadChannel("once")) }
            }

            thrown.message shouldBe "reset"
            RetryTrace.of(thrown)!!.reason shouldBe StopReason.NOT_REPLAYABLE
            client.requests shouldHaveSize 1
        }

        virtual("a request that asks for one attempt makes one") {
            val client = MockClient(this, handler = answering(503))

            client.http.get("http://localhost/") { noRetry() }.retryReport.reason shouldBe StopReason.ATTEMPTS
            client.http.get("http://localhost/") { retryPolicy { maxAttempts = 1 } }.retryReport.attempts shouldBe 1
            client.requests shouldHaveSize 2
        }

        virtual("a request that asks for more attempts makes more") {
            val client = MockClient(this, handler = answering(503))

            client.http.get("http://localhost/") { retryPolicy { maxAttempts = 5 } }.retryReport.attempts shouldBe 5
        }

        virtual("a request may bring a policy of its own, and still pays from its key's quota") {
            val client = MockClient(this, handler = answering(503))
            val patient = RetryPolicy {
                maxAttempts = 2
                backoff = Backoff.fixed(7.seconds)
            }

            client.http.get("http://localhost/") { retryPolicy(patient) }.retryReport.attempts shouldBe 2

            client.delays shouldBe listOf(7.seconds)
            client.retrier.quota!!.available shouldBe 500 - 14
        }

        test("what a request asks for holds for it alone, also if others were made of the same builder") {
            val changes = listOf<HttpRequestBuilder.() -> Unit>(
                { noRetry() },
                { retryPolicy { maxAttempts = 2 } },
                { retryPolicy(RetryPolicy.NONE) },
                { callOptions(CallOptions { repeat = Repeat.NEVER }) },
            )
            for (change in changes) {
                runTest {
                    val client = MockClient(this, handler = answering(503))
                    val template = HttpRequestBuilder().apply {
                        url("http://localhost/")
                        idempotent()
                    }

                    client.http.post(HttpRequestBuilder().takeFrom(template).apply(change))

                    client.http.post(template).retryReport.attempts shouldBe 3
                }
            }
        }

        virtual("a Retry-After beyond a minute ends the call at once") {
            val client = MockClient(this, handler = status(503, "", "Retry-After" to "61"))

            client.http.get("http://localhost/").retryReport.reason shouldBe StopReason.REJECTED
            currentTime shouldBe 0
        }
    })
