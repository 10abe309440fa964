package dev.reprise.ktor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.request.header
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpHeaders
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer

private const val BODY = "a body that is worth asking first"

class ExpectContinueTest :
    FunSpec({
        for (engine in Engine.entries) {
            test("$engine: a body that the server refuses to take is offered again") {
                MockWebServer().use { server ->
                    server.enqueue(MockResponse.Builder().code(503).doNotReadRequestBody().build())
                    server.enqueue(MockResponse.Builder().add100Continue().body("taken").build())
                    server.start()
                    engine.client { install(Retry) { policy = quick } }.use { client ->
                        val response = client.put("${server.url("/")}") {
                            header(HttpHeaders.Expect, "100-continue")
                            setBody(BODY)
                        }

                        response.bodyAsText() shouldBe "taken"
                        response.retryReport.attempts shouldBe 2
                    }
                    val (refused, taken) = List(2) { server.takeRequest() }
                    refused.headers["Expect"] shouldBe if (engine.asksFirst) "100-continue" else null
                    refused.body shouldBe null
                    taken.body?.size shouldBe BODY.length
                }
            }
        }
    })
