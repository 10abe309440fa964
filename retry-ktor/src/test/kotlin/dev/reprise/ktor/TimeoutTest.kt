@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.timeout
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import java.io.IOException

private val stalling: Handler = { awaitCancellation() }

class TimeoutTest :
    FunSpec({
        virtual("HttpTimeout after the plugin limits each attempt, and a slow one is retried") {
            val client = MockClient(
                this,
                handler = scripted(stalling, stalling, status(200, "there")),
                after = { install(HttpTimeout) { requestTimeoutMillis = 1_000 } },
            )

            val response = client.http.get("http://localhost/")

            response.bodyAsText() shouldBe "there"
            response.retryReport.attempts shouldBe 3
            currentTime shouldBe 2_150
        }

        test("HttpTimeout after the plugin spares a call of any length whose attempts are short") {
            checkAll(50, Arb.list(Arb.long(0L..99), 1..6), Arb.boolean()) { lengths, throws ->
                runTest {
                    val left = lengths.toMutableList()
                    val client = MockClient(
                        this,
                        RetryPolicy.HTTP.with { maxAttempts = 7 },
                        handler = { request ->
                            val length = left.removeFirstOrNull()
                            length?.let { delay(it) }
                            if (length != null && throws) throw IOException("reset")
                            status(if (length == null) 200 else 503)(request)
                        },
                        after = { install(HttpTimeout) { requestTimeoutMillis = 100 } },
                    )

                    client.http.get("http://localhost/").retryReport.attempts shouldBe lengths.size + 1
                    client.requests shouldHaveSize lengths.size + 1
                }
            }
        }

        virtual("when every attempt is too slow the caller gets HttpTimeout's exception with the trace") {
            val client = MockClient(
                this,
                handler = stalling,
                after = { install(HttpTimeout) { requestTimeoutMillis = 1_000 } },
            )

            val thrown = shouldThrow<HttpRequestTimeoutException> { client.http.get("http://localhost/") }

            RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.ATTEMPTS
            client.requests shouldHaveSize 3
        }

        test("HttpTimeout before the plugin limits the whole call: in an attempt, in a wait and in a later attempt") {
            for ((handler, requests) in listOf(
                stalling to 1,
                status(503, "", "Retry-After" to "30") to 1,
                scripted(status(503), stalling) to 2,
            )) {
                runTest {
                    val limit = 1_000L
                    val limiting: HttpClientConfig<*>.() -> Unit = {
                        install(HttpTimeout) { requestTimeoutMillis = limit }
                    }
                    val client = MockClient(this, handler = handler, before = limiting)

                    shouldThrow<HttpRequestTimeoutException> { client.http.get("http://localhost/") }

                    client.requests shouldHaveSize requests
                    currentTime shouldBe limit
                    client.events.last().shouldBeInstanceOf<RetryEvent.CallCancelled>()
                }
            }
        }

        virtual("a request's own timeout counts for each of its attempts") {
            val client = MockClient(this, handler = scripted(stalling, status(200)), after = { install(HttpTimeout) })

            val response = client.http.get("http://localhost/") { timeout { requestTimeoutMillis = 70 } }

            response.retryReport.attempts shouldBe 2
            currentTime shouldBe 120
        }

        test("a call can be cancelled at any moment, and leaves neither a request nor quota behind") {
            for (moment in 0L..400L step 10) {
                runTest {
                    val slow: Handler = { request ->
                        delay(95)
                        status(503)(request)
                    }
                    val client = MockClient(this, handler = slow)
                    val attempts = cancelAt(moment, client)
                    val paid = client.events.filterIsInstance<RetryEvent.QuotaTaken>().size
                    val back = client.events.filterIsInstance<RetryEvent.QuotaRefunded>().size
                    paid - back shouldBe maxOf(0, attempts - 1)
                }
            }
        }

        test("a call can be cancelled while a rejected body is drained and while the last one is read") {
            for (moment in 0L..200L step 10) {
                runTest {
                    val bodies = mutableListOf<ByteChannel>()
                    val trickling: Handler = {
                        val body = ByteChannel(autoFlush = true).also { bodies += it }
                        body.writeStringUtf8("begin")
                        if (bodies.size > 1) {
                            launch {
                                delay(45)
                                runCatching { body.flushAndClose() }
                            }
                        }
                        respond(body, if (bodies.size == 1) HttpStatusCode.ServiceUnavailable else HttpStatusCode.OK)
                    }
                    val client = MockClient(this, handler = trickling)
                    cancelAt(moment, client)
                }
            }
        }
    })

/** Makes a call and cancels it at [moment]: nothing goes on after that. Answers how many attempts had begun. */
private fun TestScope.cancelAt(moment: Long, client: MockClient): Int {
    val call = async { client.http.get("http://localhost/") }
    testScheduler.advanceTimeBy(moment)
    runCurrent()
    val wasOver = call.isCompleted
    val attempts = client.requests.size

    call.cancel()
    testScheduler.advanceUntilIdle()

    call.isCancelled shouldBe !wasOver
    client.requests shouldHaveSize attempts
    client.http.coroutineContext.job.children.toList() shouldHaveSize 0
    return attempts
}
