@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsChannel
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import io.ktor.utils.io.ByteChannel
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.close
import io.ktor.utils.io.readBuffer
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.io.readByteArray
import java.io.IOException

/** A body that breaks off after a few bytes. */
private fun breaking(status: Int = 200): Handler = {
    val body = ByteChannel(autoFlush = true)
    body.writeStringUtf8("begin")
    body.close(IOException("reset"))
    respond(body, HttpStatusCode.fromValue(status))
}

class StreamingTest :
    FunSpec({
        virtual("a streamed response is retried until its head is accepted") {
            val client = MockClient(this, handler = scripted(status(503), status(429), status(200, "stream")))

            client.http.prepareGet("http://localhost/").execute { response ->
                response.retryReport.attempts shouldBe 3
                response.bodyAsChannel().readBuffer().readByteArray().decodeToString() shouldBe "stream"
            }
        }

        virtual("a streamed response is never retried once its head was accepted") {
            val client = MockClient(this, handler = breaking())

            shouldThrow<IOException> { client.http.prepareGet("http://localhost/").execute { it.bodyAsText() } }

            client.requests shouldHaveSize 1
        }

        virtual("a rejected body is let go before the wait: drained if it is short, cancelled if it is not") {
            val short = ByteReadChannel("short")
            val endless = ByteChannel(autoFlush = true).apply { writeStringUtf8("and so on") }
            val bodies = listOf(short, endless)
            var sent = 0
            val client = MockClient(
                this,
                handler = {
                    if (sent > 0) bodies[sent - 1].isClosedForRead shouldBe true
                    if (sent < 2) respond(bodies[sent++], HttpStatusCode.ServiceUnavailable) else respond("")
                },
            )

            client.http.get("http://localhost/").retryReport.attempts shouldBe 3

            short.closedCause shouldBe null
            (endless.closedCause != null) shouldBe true
        }

        val bodies = mapOf(
            "JSON" to """{"__type": "com.amazonaws#ThrottlingException", "message": "slow down"}""",
            "XML" to "<Error><Code>ThrottlingException</Code><Message>slow down, please</Message></Error>",
        )
        for ((format, body) in bodies) {
            virtual("the error code in a body decides, and the caller still reads all of it: $format") {
                for (status in listOf(400, 503)) {
                    val policy = RetryPolicy { maxAttempts = 2 }
                    val client = MockClient(this, policy, handler = status(status, body)) { errorBodyBytes = 60 }

                    val response = client.http.get("http://localhost/")

                    response.retryReport.reason shouldBe StopReason.ATTEMPTS
                    val failure = response.retryReport.trace!!.failures.first()
                    failure.what shouldBe "status $status ThrottlingException"
                    response.bodyAsText() shouldBe body
                    client.http.prepareGet("http://localhost/").execute { it.bodyAsText() shouldBe body }
                }
            }
        }

        virtual("an error code beyond the bytes that are read is not found") {
            val body = " ".repeat(100) + "<Error><Code>SlowDown</Code></Error>"
            val client = MockClient(this, handler = status(400, body)) { errorBodyBytes = 100 }

            client.http.get("http://localhost/").retryReport.attempts shouldBe 1
        }
    })
