package dev.reprise.ktor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.ktor.client.content.LocalFileContent
import io.ktor.client.plugins.onUpload
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.forms.FormDataContent
import io.ktor.client.request.forms.InputProvider
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.client.request.forms.formData
import io.ktor.client.request.put
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.request.takeFrom
import io.ktor.client.statement.request
import io.ktor.http.ContentType
import io.ktor.http.content.ChannelWriterContent
import io.ktor.http.content.OutputStreamContent
import io.ktor.http.parametersOf
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.streams.asInput
import io.ktor.utils.io.writeStringUtf8
import java.io.File

class BodiesTest :
    FunSpec({
        val file = File.createTempFile("body", ".txt").apply {
            deleteOnExit()
            writeText("from a file")
        }
        val bodies = mapOf<String, HttpRequestBuilder.() -> Unit>(
            "text" to { setBody("text") },
            "bytes" to { setBody(byteArrayOf(1, 2, 3)) },
            "a file" to { setBody(LocalFileContent(file, ContentType.Text.Plain)) },
            "a form" to { setBody(FormDataContent(parametersOf("a", "1"))) },
            "multipart" to {
                setBody(
                    MultiPartFormDataContent(
                        formData {
                            append("text", "1")
                            append("bytes", byteArrayOf(1))
                            append("file", InputProvider { file.inputStream().asInput() })
                        },
                        boundary = "limit",
                    ),
                )
            },
            "a supplier" to { setBody(ReplayableContent { ByteReadChannel("supplied") }) },
            "text whose upload is watched" to {
                setBody("watched")
                onUpload { _, _ -> }
            },
            "a channel writer that is marked" to {
                setBody(ChannelWriterContent({ writeStringUtf8("written") }, null))
                replayable()
            },
        )
        for ((name, body) in bodies) {
            virtual("sent again whole: $name") {
                val sent = mutableListOf<List<Byte>>()
                val client = MockClient(this, handler = reading(answering(503, 200), sent))

                client.http.put("http://localhost/", body).retryReport.attempts shouldBe 2

                sent.distinct() shouldHaveSize 1
                sent.first().isEmpty() shouldBe false
            }
        }

        val oneShots = mapOf<String, HttpRequestBuilder.() -> Unit>(
            "a channel" to { setBody(ByteReadChannel("once")) },
            "a stream" to { setBody("once".byteInputStream()) },
            "a channel writer" to { setBody(ChannelWriterContent({ writeStringUtf8("once") }, null)) },
            "an output stream" to { setBody(OutputStreamContent({ write(1) }, ContentType.Any)) },
        )
        for ((name, body) in oneShots) {
            virtual("never sent again: $name") {
                val client = MockClient(this, handler = answering(503, 200))

                client.http.put("http://localhost/") {
                    body()
                    idempotent()
                }.retryReport.attempts shouldBe 1
            }
        }

        virtual("never sent again: a channel writer in a request made of one whose body came from an object") {
            val client = MockClient(this, handler = answering(200, 503, 200))
            val earlier = client.http.put("http://localhost/") { setBody("object") }.request

            val later = HttpRequestBuilder().takeFrom(earlier).apply {
                setBody(ChannelWriterContent({ writeStringUtf8("once") }, null))
            }
            client.http.request(later).retryReport.attempts shouldBe 1
        }

        virtual("a client may say which bodies of its own can be sent again") {
            val client = MockClient(this, handler = answering(503, 200)) { replayableIf { it is ChannelWriterContent } }

            client.http
                .put("http://localhost/") { setBody(ChannelWriterContent({ writeStringUtf8("written") }, null)) }
                .retryReport.attempts shouldBe 2
        }
    })
