package dev.reprise.okhttp

import dev.reprise.faults.FaultServer
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import java.io.IOException

private val faults = mapOf(
    "503" to status(503, "busy"),
    "429" to status(429, "slow"),
    "500" to status(500),
    "close" to Reply.Close,
    "reset" to Reply.Reset,
    "cut head" to Reply.Raw("HTTP/1.1 200 OK\r\nConte", andClose = true),
    "garbage" to Reply.Raw("no HTTP at all\r\n\r\n", andClose = true),
)

private class Case(val name: String, val mayRepeat: Boolean, val request: (String) -> Request)

private val cases = listOf(
    Case("GET", true) { request(it) },
    Case("PUT", true) { request(it, "PUT") },
    Case("DELETE", true) { request(it, "DELETE") },
    Case("POST", false) { request(it, "POST") },
    Case("PATCH", false) { request(it, "PATCH") },
    Case("POST with a key", true) { request(it, "POST").newBuilder().header("idempotency-key", "k").build() },
    Case("POST with a tag", true) { Request.Builder().url(it).post("content".toRequestBody()).idempotent().build() },
    Case("GET with noRetry", false) { Request.Builder().url(it).noRetry().build() },
    Case("PUT of a one-shot body", false) { request(it, "PUT", OneShot("content")) },
)

private fun seen(reply: Reply.Raw) = reply.text.substring(9, 12) + " " + reply.text.substringAfter("\r\n\r\n")

class MatrixTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: what may be repeated is, whatever the fault, and nothing else is sent twice") {
                for ((name, fault) in faults) {
                    for (case in cases) {
                        RawServer(fault, status(200, "there")).use { server ->
                            val call = face.calls(quickly()).newCall(case.request(server.url))
                            val result = try {
                                face.send(call).use { "${it.code} ${it.body.string()}" }
                            } catch (e: IOException) {
                                "failed"
                            }
                            val label = "$face, $name, ${case.name}"
                            val expected = when {
                                case.mayRepeat -> "200 there"
                                fault is Reply.Raw && !fault.andClose -> seen(fault)
                                else -> "failed"
                            }
                            "$label: $result, ${server.requests.size} requests" shouldBe
                                "$label: $expected, ${if (case.mayRepeat) 2 else 1} requests"
                            server.requests.map { it.body }.toSet().size shouldBe 1
                        }
                    }
                }
            }

            test("$face: a one-shot body that was never opened is sent after a refused connection") {
                val call = face.calls(quickly()).newCall(request("${FaultServer.refused()}", "POST", OneShot("x")))

                val failure = runCatching { face.send(call) }.exceptionOrNull()

                (failure is java.net.ConnectException) shouldBe true
                dev.reprise.core.RetryTrace.of(failure!!)!!.attempts shouldBe 3
            }
        }
    })
