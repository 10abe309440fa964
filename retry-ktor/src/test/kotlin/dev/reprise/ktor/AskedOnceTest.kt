package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import io.ktor.client.engine.mock.toByteArray
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.forms.InputProvider
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.client.request.forms.formData
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.streams.asInput
import kotlinx.coroutines.test.runTest
import java.io.ByteArrayInputStream

/** A classifier may count, so it is asked once about each response, whatever the request's body is. */
class AskedOnceTest :
    FunSpec({
        val anew = { ByteArrayInputStream("again".toByteArray()).asInput() }
        val once = ByteArrayInputStream("once".toByteArray())
        val bodies = mapOf<String, HttpRequestBuilder.() -> Unit>(
            "text" to { setBody("text") },
            "a channel" to { setBody(ByteReadChannel("once")) },
            "a form that can be sent again" to {
                setBody(MultiPartFormDataContent(formData { append("a", InputProvider { anew() }) }))
            },
            "a form that cannot" to {
                setBody(MultiPartFormDataContent(formData { append("a", InputProvider { once.asInput() }) }))
            },
        )

        for ((name, body) in bodies) {
            test("about each response to $name") {
                checkAll(30, Arb.list(Arb.element(200, 404, 503), 4..4)) { statuses ->
                    runTest {
                        var asked = 0
                        val counting = RetryPolicy.HTTP.with {
                            onResponse {
                                asked++
                                null
                            }
                        }
                        val client = MockClient(this, counting, handler = reading(answering(*statuses.toIntArray())))
                        client.http.put("http://localhost/", body)
                        asked shouldBe client.requests.size
                    }
                }
            }

            virtual("about a response to $name that it fails on, and the call ends with that") {
                var asked = 0
                val throwing = RetryPolicy.HTTP.with {
                    onResponse {
                        asked++
                        error("classifier")
                    }
                }
                val client = MockClient(this, throwing, handler = reading(answering(503, 200)))
                shouldThrow<IllegalStateException> { client.http.put("http://localhost/", body) }
                    .message shouldBe "classifier"
                asked shouldBe 1
            }
        }

        virtual("one that rejects the third failure in a row counts the responses to a form right") {
            var inRow = 0
            val policy = RetryPolicy.HTTP.with {
                maxAttempts = 5
                onResponse { if (++inRow == 3) Verdict.Reject else Verdict.TRANSIENT }
            }
            val client = MockClient(this, policy, handler = reading(answering(503, 503, 503, 200)))
            val report = client.http.put(
                "http://localhost/",
                bodies.getValue("a form that can be sent again"),
            ).retryReport
            report.reason shouldBe StopReason.REJECTED
            report.attempts shouldBe 3
        }
    })
