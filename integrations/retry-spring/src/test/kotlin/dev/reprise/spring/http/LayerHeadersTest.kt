package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.client.RestClient
import org.springframework.web.reactive.function.client.WebClient
import java.net.URI

private typealias Get = (uri: URI, retries: HttpRetries, brought: Map<String, String>) -> Unit

private fun get(client: RestClient.Builder, uri: URI, brought: Map<String, String>) {
    client.build().get().uri(uri).headers { it.setAll(brought) }.retrieve().toBodilessEntity()
}

private val CLIENTS = mapOf<String, Get>(
    "RestClient" to { uri, retries, brought ->
        get(
            RestClient.builder().requestFactory(
                JdkClientHttpRequestFactory(),
            ).requestInterceptor(RetryInterceptor(retries)),
            uri,
            brought,
        )
    },
    "RestClient over a factory" to { uri, retries, brought ->
        val factory = RetryingRequestFactory(SimpleClientHttpRequestFactory(), retries)
        get(RestClient.builder().requestFactory(factory), uri, brought)
    },
    "WebClient" to { uri, retries, brought ->
        WebClient.builder().filter(RetryExchangeFilter(retries)).build()
            .get().uri(uri).headers { it.setAll(brought) }.retrieve().toBodilessEntity().block()
    },
)

/** Servers and sidecars are told of a retry as by every other HTTP client. */
class LayerHeadersTest :
    FunSpec({
        val builder = {
            HttpRetries.builder().policy(
                RetryPolicy.HTTP.with {
                    noBackoff()
                    noQuota()
                },
            )
        }

        fun Get.sent(
            name: String,
            retries: HttpRetriesBuilder = builder(),
            brought: Map<String, String> = emptyMap(),
        ): List<String?> = FaultServer(Fault.UNAVAILABLE).use { server ->
            runCatching { this(server.uri(), retries.build(), brought) }.isFailure shouldBe true
            server.requests().map { it.headers()[name] }
        }

        for ((client, get) in CLIENTS) {
            test("$client: requests carry their attempt's number from the second one on") {
                get.sent("amz-sdk-request") shouldBe listOf(null, "attempt=2", "attempt=3")
                get.sent("x-envoy-max-retries") shouldBe List(3) { null }
            }

            test("$client: a number that the request brings stays, and numbers can be switched off") {
                val brought = mapOf("amz-sdk-request" to "attempt=7")
                get.sent("amz-sdk-request", brought = brought) shouldBe List(3) { "attempt=7" }
                get.sent("amz-sdk-request", builder().numberRetries(false)) shouldBe List(3) { null }
            }

            test("$client: the SDKs' headers, and a sidecar that must not repeat") {
                get.sent("amz-sdk-request", builder().amzHeaders(true)) shouldBe List(3) { "attempt=${it + 1}; max=3" }
                get.sent("amz-sdk-invocation-id", builder().amzHeaders(true)).distinct().size shouldBe 1
                get.sent("x-envoy-max-retries", builder().meshRetries(false)) shouldBe List(3) { "0" }
            }
        }
    })
