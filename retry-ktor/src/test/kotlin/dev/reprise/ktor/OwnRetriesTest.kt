package dev.reprise.ktor

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.HttpClientEngineFactory
import io.ktor.client.engine.apache5.Apache5
import io.ktor.client.engine.okhttp.OkHttp
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText

private fun asItComes(engine: HttpClientEngineFactory<*>) = HttpClient(engine) { install(Retry) { policy = quick } }

/** What engines repeat behind the plugin's back unless they are told not to, as the documentation says. */
class OwnRetriesTest :
    FunSpec({
        test("OkHttp as it comes sends even a POST twice when a kept connection ends, and no attempt tells of it") {
            RawServer(answer(200), hangUp, answer(200, "twice")).use { server ->
                asItComes(OkHttp).use { client ->
                    client.get(server.url)

                    val response = client.post(server.url) { setBody("pay") }

                    response.bodyAsText() shouldBe "twice"
                    response.retryReport.attempts shouldBe 1
                    server.requests shouldBe 3
                }
            }
        }

        test("Apache5 as it comes asks again after a 503, and no attempt tells of it") {
            RawServer(answer(503), answer(200, "there")).use { server ->
                asItComes(Apache5).use { client ->
                    val response = client.get(server.url)

                    response.bodyAsText() shouldBe "there"
                    response.retryReport.attempts shouldBe 1
                    server.requests shouldBe 2
                }
            }
        }
    })
