package dev.reprise.okhttp

import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.faults.Certificates
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import mockwebserver3.SocketEffect
import okhttp3.OkHttpClient
import java.io.IOException

private const val REFUSED_STREAM = 7
private const val INTERNAL_ERROR = 2

private fun reset(code: Int) = MockResponse.Builder().onResponseStart(SocketEffect.CloseStream(code)).build()

private val there = MockResponse(body = "there")
private val moved = MockResponse.Builder().code(307).addHeader("Location", "/there").build()

private fun server(vararg responses: MockResponse) = MockWebServer().apply {
    useHttps(Certificates.server().sslSocketFactory())
    responses.forEach(::enqueue)
    start()
}

/** A server of HTTP/2 that refuses a stream has done nothing with its request (RFC 9113, section 8.7). */
class RefusedStreamTest :
    FunSpec({
        // Its own repeats would hide what ours do.
        val client = OkHttpClient.Builder().retryOnConnectionFailure(false)
            .sslSocketFactory(Certificates.clientContext().socketFactory, Certificates.trustManager()).build()

        for (face in Face.entries) {
            val calls = face.calls(quickly(), client)

            test("$face: a POST whose stream is refused is sent again") {
                server(reset(REFUSED_STREAM), there).use { server ->
                    face.send(calls.newCall(request("${server.url("/")}", "POST"))).use {
                        it.body.string() shouldBe "there"
                        it.retryReport.attempts shouldBe 2
                    }
                }
            }

            val once = mapOf(
                "whose stream is reset for another reason" to listOf(reset(INTERNAL_ERROR)),
                "that was done at the first address, and refused at the second" to listOf(moved, reset(REFUSED_STREAM)),
            )
            for ((name, replies) in once) {
                test("$face: a POST $name is not sent again") {
                    server(*replies.toTypedArray(), there).use { server ->
                        val thrown = shouldThrow<IOException> {
                            face.send(calls.newCall(request("${server.url("/")}", "POST"))).close()
                        }

                        RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 1
                    }
                }
            }

            test("$face: a POST is sent again after a response that the policy reads as not processed") {
                val unsent = Verdict.Retry(FailureKind.TRANSIENT, "not processed", unsent = true)
                val retries = quickly { onResult { if (it is HttpOutcome && it.status == 503) unsent else null } }
                server(MockResponse(code = 503), there).use { server ->
                    val post = request("${server.url("/")}", "POST")
                    face.send(face.calls(retries, client).newCall(post)).use {
                        it.body.string() shouldBe "there"
                        it.retryReport.attempts shouldBe 2
                    }
                }
            }

            test("$face: a one-shot body whose stream is refused is gone") {
                server(reset(REFUSED_STREAM), there).use { server ->
                    val thrown = shouldThrow<IOException> {
                        face.send(calls.newCall(request("${server.url("/")}", "PUT", OneShot("content")))).close()
                    }

                    RetryTrace.of(thrown).shouldNotBeNull().run { attempts to reason } shouldBe
                        (1 to StopReason.NOT_REPLAYABLE)
                }
            }
        }
    })
