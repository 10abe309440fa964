package dev.reprise.okhttp

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.faults.FaultServer
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import okhttp3.OkHttpClient
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import java.io.IOException
import java.net.ProtocolException

class RedirectTest :
    FunSpec({
        val bodies = mapOf<String, () -> RequestBody>(
            "a body" to { "pay".toRequestBody() },
            "an empty body" to { "".toRequestBody() },
            "a one-shot body" to { OneShot("pay") },
        )
        for (face in Face.entries) {
            for ((name, body) in bodies) {
                test("$face: $name that was sent is not sent again when its redirect is refused a connection") {
                    // A PUT of a body that can be sent again may be.
                    val methods = if (body().isOneShot()) listOf("POST", "PUT") else listOf("POST")
                    for ((status, method) in listOf(302, 307).flatMap { status -> methods.map { status to it } }) {
                        RawServer(status(status, "", "Location: ${FaultServer.refused()}")).use { server ->
                            // OkHttp does not send a one-shot body on: it hands out the redirect.
                            val call = face.calls(quickly()).newCall(request(server.url, method, body()))
                            val result = runCatching { face.send(call).use { it.code } }

                            server.requests.size shouldBe 1
                            result.exceptionOrNull()?.let {
                                RetryTrace.of(it).shouldNotBeNull().reason shouldBe StopReason.NOT_REPLAYABLE
                            }
                        }
                    }
                }
            }

            test("$face: a server that always asks for another request is asked as often as by OkHttp alone") {
                val naive = OkHttpClient.Builder().authenticator { _, response ->
                    response.request.newBuilder().header("Authorization", "wrong").build()
                }.build()
                for (reply in listOf(status(302, "", "Location: /"), status(401, "", "WWW-Authenticate: Basic"))) {
                    RawServer(reply).use { server ->
                        val thrown = shouldThrow<ProtocolException> {
                            face.send(face.calls(quickly(), naive).newCall(request(server.url)))
                        }

                        server.requests.size shouldBe 21
                        RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.REJECTED
                    }
                }
            }

            test("$face: a POST that was never sent is tried again") {
                val thrown = shouldThrow<IOException> {
                    face.send(face.calls(quickly()).newCall(request("${FaultServer.refused()}", "POST")))
                }

                RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
            }
        }
    })
