package dev.reprise.samples

import dev.reprise.apachehttp.ApacheRetries
import dev.reprise.apachehttp.retryReport
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import org.apache.hc.client5.http.classic.methods.HttpGet
import org.apache.hc.client5.http.impl.classic.HttpClients

/** The snippet of the face of Apache's client, run. */
class ApacheHttpTest :
    FunSpec({
        test("a client with retries") {
            MockWebServer().use { server ->
                listOf(503, 200).forEach { server.enqueue(MockResponse(code = it)) }
                server.start()
                val client = ApacheRetries.standard().addTo(HttpClients.custom()).build()
                client.use {
                    it.execute(HttpGet("${server.url("/")}")) { response -> response.retryReport.attempts } shouldBe 2
                }
            }
        }
    })
