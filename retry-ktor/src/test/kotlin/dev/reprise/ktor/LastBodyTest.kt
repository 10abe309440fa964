@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.Statuses
import dev.reprise.core.StopReason
import dev.reprise.core.shell.http.Crc32Check
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.ClientRequestException
import io.ktor.client.plugins.HttpResponseValidator
import io.ktor.client.plugins.HttpSend
import io.ktor.client.plugins.logging.LogLevel
import io.ktor.client.plugins.logging.Logger
import io.ktor.client.plugins.logging.Logging
import io.ktor.client.plugins.plugin
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import io.ktor.http.headersOf
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.SocketTimeoutException
import java.util.zip.CRC32
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** A body that begins and never ends. */
private fun stalling(status: Int, vararg headers: Pair<String, String>): Handler = {
    val body = ByteChannel(autoFlush = true)
    body.writeStringUtf8("begin")
    respond(
        body,
        HttpStatusCode.fromValue(status),
        headersOf(*headers.map { it.first to listOf(it.second) }.toTypedArray()),
    )
}

/** A body that breaks off, before it is read. */
private fun brokenOff(status: Int): Handler = {
    val body = ByteChannel(autoFlush = true)
    body.writeStringUtf8("begin")
    body.cancel(IOException("connection reset"))
    respond(body, HttpStatusCode.fromValue(status))
}

/** Limits, trace and body hold for the failure that a call ends with, and whoever looks at a failure disturbs nobody. */
class LastBodyTest :
    FunSpec({
        for (status in listOf(404, 503)) {
            virtual("a body of $status that broke off before it was read is no shorter body, but an error") {
                val client = MockClient(this, RetryPolicy { }, handler = brokenOff(status))

                shouldThrow<IOException> { client.http.get("http://localhost/") }
            }

            virtual("nor when it is streamed, of $status, and was looked at for the policy") {
                val client = MockClient(this, RetryPolicy { }, handler = brokenOff(status)) { errorBodyBytes = 100 }

                client.http.prepareGet("http://localhost/").execute { shouldThrow<IOException> { it.bodyAsText() } }
            }
        }

        for (limits in listOf(
            RetryPolicy { attemptTimeout = 700.milliseconds },
            RetryPolicy { deadline = 3.seconds },
        )) {
            for ((what, handler) in mapOf(
                "the last failure" to stalling(503),
                "one that is not to be retried so soon" to stalling(429, "Retry-After" to "9999"),
            )) {
                virtual("a body that stalls does not outlive the limits, of $what under $limits") {
                    val policy = limits.with { honourRetryAfter(10.seconds) }
                    val client = MockClient(this, policy, handler = handler)

                    val thrown = shouldThrow<SocketTimeoutException> { client.http.get("http://localhost/") }

                    RetryTrace.of(thrown).shouldNotBeNull()
                    currentTime shouldBeLessThan 4_000
                }
            }

            virtual("nor does that of a POST's failure under $limits") {
                val client = MockClient(this, limits, handler = stalling(503))

                val thrown = shouldThrow<SocketTimeoutException> { client.http.post("http://localhost/") }

                RetryTrace.of(thrown)!!.reason shouldBe StopReason.NOT_REPLAYABLE
                client.requests shouldHaveSize 1
            }
        }

        virtual("the search for an error code in a body that stalls ends after a second") {
            val client = MockClient(this, handler = scripted(stalling(503), status(200, "there"))) {
                errorBodyBytes = 1_000
            }

            client.http.get("http://localhost/").bodyAsText() shouldBe "there"

            currentTime shouldBeLessThan 1_500
        }

        for (status in listOf(400, 404, 408, 425, 429, 503)) {
            virtual("a body of $status that stalls does not hold up a retry") {
                val table = ErrorTable(ErrorRule(FailureKind.TRANSIENT, Statuses.of(status)))
                val handler = scripted(stalling(status), status(200, "there"))
                val client = MockClient(this, RetryPolicy { classifier = table }, handler = handler)

                client.http.get("http://localhost/").bodyAsText() shouldBe "there"

                currentTime shouldBeLessThan 1_500
            }
        }

        for (status in listOf(401, 404, 408)) {
            virtual("the caller, a validator and a logger read the body of $status as without the plugin") {
                val seen = mutableListOf<String>()
                val client = MockClient(
                    this,
                    handler = status(status, "why"),
                    before = {
                        HttpResponseValidator {
                            validateResponse {
                                seen += it.bodyAsText()
                                throw ClientRequestException(it, it.bodyAsText())
                            }
                        }
                    },
                    after = {
                        install(Logging) {
                            level = LogLevel.ALL
                            logger = object : Logger {
                                override fun log(message: String) = Unit
                            }
                        }
                    },
                )

                val thrown = shouldThrow<ClientRequestException> { client.http.get("http://localhost/") }

                List(2) { thrown.response.bodyAsText() } shouldBe listOf("why", "why")
                thrown.message shouldContain "why"
                seen.toSet() shouldBe setOf("why")
            }
        }

        test("an interceptor may read every failure's body, and the caller still gets it whole") {
            val long = "x".repeat(200_000)
            for (body in listOf("", "overloaded", long)) {
                runTest {
                    val client = MockClient(this, handler = status(503, body))
                    val seen = mutableListOf<String>()
                    client.http.plugin(HttpSend).intercept { request ->
                        execute(request).also {
                            seen += it.response.bodyAsText()
                            seen += it.response.bodyAsText()
                        }
                    }

                    client.http.get("http://localhost/").bodyAsText() shouldBe body

                    seen shouldBe List(6) { body }
                }
            }
        }

        virtual("rules about messages see the body, and the caller gets it whole") {
            val table =
                ErrorTable(ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(400), message = "slow down"))
            val handler =
                scripted(status(400, """{"message": "slow down"}"""), status(400, """{"message": "no"}"""))
            val client = MockClient(this, RetryPolicy { classifier = table }, handler = handler)

            client.http.get("http://localhost/").bodyAsText() shouldBe """{"message": "no"}"""

            client.requests shouldHaveSize 2
        }

        virtual("a checksum is checked over the body of a success too") {
            val sum = "x-amz-crc32" to CRC32().apply { update("whole".encodeToByteArray()) }.value.toString()
            val handler = scripted(status(200, "whOle", sum), status(200, "whole", sum))
            val client = MockClient(this, RetryPolicy { classifyFirst(Crc32Check()) }, handler = handler)

            client.http.get("http://localhost/").bodyAsText() shouldBe "whole"

            client.requests shouldHaveSize 2
        }

        virtual("a client that is closed ends the waits of its calls at once") {
            val client = MockClient(this, handler = status(503, "", "Retry-After" to "30"))
            val call = async { runCatching { client.http.get("http://localhost/") } }
            runCurrent()

            client.http.close()
            val thrown = call.await().exceptionOrNull()

            (thrown is CancellationException) shouldBe true
            currentTime shouldBe 0
            client.requests shouldHaveSize 1
        }
    })
