package dev.reprise.ktor

import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.ktor.client.engine.mock.toByteArray
import io.ktor.client.plugins.onUpload
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpRequestPipeline
import io.ktor.client.request.forms.ChannelProvider
import io.ktor.client.request.forms.FormBuilder
import io.ktor.client.request.forms.InputProvider
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.client.request.forms.formData
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.http.content.ChannelWriterContent
import io.ktor.http.content.OutgoingContent
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.streams.asInput
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.test.runTest
import kotlinx.io.Buffer
import kotlinx.io.writeString
import java.io.ByteArrayInputStream
import java.io.IOException
import java.net.ConnectException

private class Wrapper(inner: OutgoingContent) : OutgoingContent.ContentWrapper(inner) {
    override fun copy(delegate: OutgoingContent) = Wrapper(delegate)
}

/** A body that can be read once is sent once, and one that was not opened yet may still be sent. */
class OneShotTest :
    FunSpec({
        val bytes = ByteArray(20_000) { (it % 251).toByte() }

        fun form(build: FormBuilder.() -> Unit): HttpRequestBuilder.() -> Unit = {
            setBody(MultiPartFormDataContent(formData(build), boundary = "limit"))
        }

        val stream = ByteArrayInputStream(bytes)
        val input = ByteArrayInputStream(bytes).asInput()
        val channel = ByteReadChannel(bytes)
        var calls = 0
        fun opening() = if (calls++ == 0) ByteArrayInputStream(bytes).asInput() else throw IOException("gone")
        val forms = mapOf(
            "text and bytes" to Pair(
                2,
                form {
                    append("a", "1")
                    append("b", bytes)
                },
            ),
            "a provider that opens anew" to
                Pair(2, form { append("a", InputProvider { ByteArrayInputStream(bytes).asInput() }) }),
            "a channel provider that opens anew" to
                Pair(2, form { append("a", ChannelProvider { ByteReadChannel(bytes) }) }),
            "a provider of the same stream" to Pair(1, form { append("a", InputProvider { input }) }),
            "a provider of new views of the same stream" to
                Pair(1, form { append("a", InputProvider { stream.asInput() }) }),
            "a provider of the same channel" to Pair(1, form { append("a", ChannelProvider { channel }) }),
            "a provider that fails the second time" to Pair(1, form { append("a", InputProvider { opening() }) }),
            "a buffer" to Pair(2, form { append("a", Buffer().apply { writeString("copied by Ktor") }) }),
        )
        for ((name, expected) in forms) {
            val (attempts, body) = expected
            virtual("a form with $name is sent in $attempts attempts, whole each time") {
                val sent = mutableListOf<List<Byte>>()
                val client = MockClient(this, handler = reading(answering(503, 200), sent))

                client.http.put("http://localhost/", body).retryReport.attempts shouldBe attempts

                sent.distinct() shouldHaveSize 1
                sent shouldHaveSize attempts
            }
        }

        val unopened = mapOf<String, HttpRequestBuilder.() -> Unit>(
            "a channel" to { setBody(ByteReadChannel("once")) },
            "a channel writer" to { setBody(ChannelWriterContent({ writeStringUtf8("once") }, null)) },
            "a channel writer in another content" to
                { setBody(Wrapper(ChannelWriterContent({ writeStringUtf8("once") }, null))) },
        )
        virtual("a form that no connection has opened is not looked at, and sent when there is one") {
            var asked = 0
            var sent = ""
            val once = ByteArrayInputStream("once".toByteArray())
            val client = MockClient(
                this,
                handler = scripted(
                    failing { ConnectException("refused") },
                    {
                        sent = it.body.toByteArray().decodeToString()
                        status(200)(it)
                    },
                ),
            )
            val body = form {
                append(
                    "a",
                    InputProvider {
                        asked++
                        once.asInput()
                    },
                )
            }

            client.http.put("http://localhost/", body).retryReport.attempts shouldBe 2

            sent.contains("once") shouldBe true
            asked shouldBe 1
        }

        for ((name, body) in unopened) {
            virtual("$name that no connection has opened is sent when there is one") {
                var sent = ""
                val client = MockClient(
                    this,
                    handler = scripted(
                        failing { ConnectException("refused") },
                        {
                            sent = it.body.toByteArray().decodeToString()
                            status(503)(it)
                        },
                    ),
                )

                client.http.put("http://localhost/", body).retryReport.attempts shouldBe 2

                sent shouldBe "once"
            }

            virtual("$name that was opened is not sent again, whatever the failure says") {
                val client = MockClient(
                    this,
                    handler = {
                        it.body.toByteArray()
                        throw ConnectException("refused, says the engine")
                    },
                )

                shouldThrowAny { client.http.put("http://localhost/", body) }

                client.requests shouldHaveSize 1
            }
        }

        for (isWatched in listOf(false, true)) {
            test(
                "what a converter writes from a value is written again, from a stream it is not: watched, $isWatched",
            ) {
                for ((value, attempts) in listOf<Pair<Any, Int>>(listOf(1, 2) to 2, sequenceOf(1) to 1)) {
                    runTest {
                        val sent = mutableListOf<List<Byte>>()
                        val client = MockClient(this, handler = reading(answering(503, 200), sent))
                        client.http.requestPipeline.intercept(HttpRequestPipeline.Transform) { body ->
                            if (body is Iterable<*> || body is Sequence<*>) {
                                proceedWith(ChannelWriterContent({ writeStringUtf8("$body") }, null))
                            }
                        }

                        client.http.put("http://localhost/") {
                            setBody(value)
                            if (isWatched) onUpload { _, _ -> }
                        }.retryReport.attempts shouldBe attempts

                        sent.map { it.toByteArray().decodeToString() } shouldBe List(attempts) { "$value" }
                    }
                }
            }
        }
    })
