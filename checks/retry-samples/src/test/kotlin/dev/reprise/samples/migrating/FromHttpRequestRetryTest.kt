package dev.reprise.samples.migrating

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import dev.reprise.ktor.Retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.network.sockets.ConnectTimeoutException
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.request.request
import io.ktor.http.HttpMethod
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** A server that plays a script: a status, or 0 for a connection that breaks; the last step is played for ever. */
private class Played(private vararg val script: Int) {
    var requests = 0
        private set

    val engine = MockEngine {
        val step = script[minOf(requests++, script.lastIndex)]
        if (step == 0) throw IOException("connection reset")
        respond("", HttpStatusCode.fromValue(step))
    }
}

/** How many requests one call of [client] sends to [server], and how it ends. */
private fun end(server: Played, client: HttpClient, method: HttpMethod): Pair<Int, String> {
    lateinit var end: String
    runTest {
        end = try {
            client.request("https://users.example/7") { this.method = method }.status.value.toString()
        } catch (e: IOException) {
            e.message.orEmpty()
        }
    }
    return server.requests to end
}

/** The same client with Ktor's own plugin and with ours. */
class FromHttpRequestRetryTest :
    FunSpec({
        fun before(engine: MockEngine): HttpClient {
            val client = HttpClient(engine) {
                install(HttpRequestRetry) {
                    retryOnExceptionOrServerErrors(maxRetries = 3)
                    exponentialDelay()
                }
            }
            return client
        }

        fun after(engine: MockEngine): HttpClient {
            val client = HttpClient(engine) {
                install(Retry) {
                    policy = RetryPolicy.HTTP.with {
                        maxAttempts = 4
                        exponentialBackoff(base = 2.seconds, cap = 1.minutes, jitter = Jitter.EQUAL)
                    }
                }
            }
            return client
        }

        fun exactly(engine: MockEngine): HttpClient {
            val client = HttpClient(engine) {
                install(Retry) {
                    policy = RetryPolicy {
                        maxAttempts = 4
                        classifier = Classifier.firstOf(
                            ErrorTable(ErrorRule(FailureKind.TRANSIENT, Statuses.between(500, 599))),
                            TransportErrors,
                        )
                        exponentialBackoff(base = 1.seconds, cap = 1.minutes, jitter = Jitter.EQUAL)
                        quota = null
                        honourRetryAfter(1.minutes)
                        rejectOn<HttpRequestTimeoutException>()
                        rejectOn<ConnectTimeoutException>()
                        rejectOn<SocketTimeoutException>()
                    }
                }
            }
            return client
        }

        fun played(client: (MockEngine) -> HttpClient, method: HttpMethod, vararg script: Int): Pair<Int, String> {
            val server = Played(*script)
            return end(server, client(server.engine), method)
        }

        test("a GET that fails: the same attempts and the same end") {
            val calls = listOf(
                intArrayOf(200) to (1 to "200"),
                intArrayOf(503, 500, 200) to (3 to "200"),
                intArrayOf(0, 0, 200) to (3 to "200"),
                intArrayOf(503) to (4 to "503"),
                intArrayOf(0) to (4 to "connection reset"),
                intArrayOf(404, 200) to (1 to "404"),
            )
            for ((script, expected) in calls) {
                for (client in listOf(::before, ::after, ::exactly)) {
                    played(client, HttpMethod.Get, *script) shouldBe expected
                }
            }
        }

        test("what is different on purpose: a POST, a throttle, a status that no retry mends") {
            played(::before, HttpMethod.Post, 503, 200) shouldBe (2 to "200")
            played(::after, HttpMethod.Post, 503, 200) shouldBe (1 to "503")

            played(::before, HttpMethod.Get, 429, 200) shouldBe (1 to "429")
            played(::after, HttpMethod.Get, 429, 200) shouldBe (2 to "200")

            played(::before, HttpMethod.Get, 501, 200) shouldBe (2 to "200")
            played(::after, HttpMethod.Get, 501, 200) shouldBe (1 to "501")
            played(::exactly, HttpMethod.Get, 501, 200) shouldBe (2 to "200")
        }
    })
