package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.faults.Certificates
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Observation
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.core.io.InputStreamResource
import org.springframework.http.HttpMethod
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import java.net.URI
import java.net.http.HttpClient
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private const val COLUMN = "RestClient"

/** What `docs/research/http-faults.md` says of RestClient, for the interceptor and the request factory alike. */
class MatrixPageTest :
    FunSpec({
        val factory = Matrix.of(
            sender { below, retries ->
                requestFactory(RetryingRequestFactory(below, retries))
            },
            true,
            setOf(),
        )
        if (System.getProperty("faults.update").toBoolean()) MatrixPage().write(COLUMN, factory)
        val page = MatrixPage()

        for (scenario in Scenario.all()) {
            test("request factory, $scenario") {
                val expected = page.cell(COLUMN, scenario)

                factory.cell(scenario, expected) shouldBe expected
            }
        }
    })

private fun sender(
    retried: RestClient.Builder.(JdkClientHttpRequestFactory, HttpRetries) -> RestClient.Builder,
): Matrix.Client {
    val plain = client(HttpClient.Version.HTTP_1_1, retried)
    val secure = client(HttpClient.Version.HTTP_2, retried)
    return Matrix.Client { kind, uri ->
        try {
            val response = (if (uri.scheme == "https") secure else plain).send(kind, uri)
            Observation.of(response.first, response.second)
        } catch (e: Exception) {
            Observation.of(e, RetryTrace.of(e))
        }
    }
}

/** Sends a request of [kind], and returns the status and the body. */
internal fun RestClient.send(kind: Kind, uri: URI): Pair<Int, String> {
    val payload = kind.payload(uri).toByteArray()
    val request = method(HttpMethod.valueOf(kind.method())).uri(uri)
    when (kind) {
        Kind.GET -> Unit
        Kind.POST -> request.body(payload)
        Kind.ONE_SHOT_PUT -> request.body(InputStreamResource(payload.inputStream()))
    }
    return try {
        val response = request.retrieve().toEntity(String::class.java)
        response.statusCode.value() to response.body.orEmpty()
    } catch (e: RestClientResponseException) {
        e.statusCode.value() to e.responseBodyAsString
    }
}

private fun client(
    version: HttpClient.Version,
    retried: RestClient.Builder.(JdkClientHttpRequestFactory, HttpRetries) -> RestClient.Builder,
): RestClient {
    val below = HttpClient.newBuilder().version(version)
        .followRedirects(HttpClient.Redirect.NORMAL)
        .sslContext(Certificates.clientContext())
        .build()
    val policy = RetryPolicy.HTTP.with {
        fixedBackoff(5.milliseconds)
        attemptTimeout = 2.seconds
        noQuota()
    }
    val factory = JdkClientHttpRequestFactory(below)
    return RestClient.builder().requestFactory(
        factory,
    ).retried(factory, HttpRetries.builder().policy(policy).build()).build()
}
