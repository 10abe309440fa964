package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
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
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import java.net.URI
import java.net.http.HttpClient
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Peculiarities of one client: Netty follows no redirect and takes hints for the response. HttpURLConnection takes half a head for a
 * whole one.
 */
private val EXCUSED = mapOf(
    Factory.SIMPLE to setOf("CUT_HEAD"),
    Factory.NETTY to setOf("EARLY_HINTS", "REDIRECT_INTO_UNAVAILABLE", "REDIRECT_INTO_RESET", "REDIRECT_INTO_CUT_BODY"),
).withDefault { emptySet() }

/** A good body of more than a MiB is the caller's from its head on. */
private val NOT_HELD = setOf("LARGE_CUT_BODY")

/** RestClient does what `docs/figures/http-faults.csv` says, over each client below the request factory. */
class MatrixPageTest :
    FunSpec({
        // All but the first only with -Dnightly, or to write the page.
        val isUpdate = System.getProperty("faults.update").toBoolean()
        val isLong = isUpdate || System.getProperty("nightly") != null
        for (below in Factory.entries.filter { isLong || it == Factory.JDK }) {
            val column = if (below == Factory.JDK) "RestClient" else "RestClient, ${below.title}"
            val matrix by lazy {
                Matrix.of(sender(below), below == Factory.JDK, EXCUSED.getValue(below) + NOT_HELD).also {
                    if (isUpdate) MatrixPage().write(column, it)
                }
            }
            val page by lazy { MatrixPage() }

            for (scenario in Scenario.all()) {
                test("$column does what docs/figures/http-faults.csv says of $scenario") {
                    val found = matrix
                    val expected = page.cell(column, scenario)

                    found.cell(scenario, expected) shouldBe expected
                }
            }
        }
    })

private fun sender(below: Factory): Matrix.Client {
    val policy = RetryPolicy.HTTP.with {
        fixedBackoff(5.milliseconds)
        attemptTimeout = 2.seconds
        noQuota()
    }
    val retries = HttpRetries.builder().policy(policy).build()
    val plain = if (below == Factory.SIMPLE) overUrlConnection(retries) else below.client(retries)
    val secure = if (below == Factory.JDK) overHttp2(retries) else plain
    return Matrix.Client { kind, uri ->
        // Nothing ends a write of HttpURLConnection, as the page says.
        val isEndless = below == Factory.SIMPLE && kind.payload(uri).length > 1_000
        if (isEndless) return@Client null
        Observation.of {
            val (status, body) = (if (uri.scheme == "https") secure else plain).send(kind, uri)
            Observation.of(status, body)
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

/** Its read timeout is longer than an attempt may take, and than an event stream is silent. */
private fun overUrlConnection(retries: HttpRetries): RestClient {
    val below = Factory.SIMPLE.make() as SimpleClientHttpRequestFactory
    return Face.FACTORY.over(below.apply { setReadTimeout(2_600) }, retries)
}

private fun overHttp2(retries: HttpRetries): RestClient {
    val below = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2)
        .followRedirects(HttpClient.Redirect.NORMAL)
        .sslContext(Certificates.clientContext())
        .build()
    val factory = RetryingRequestFactory(JdkClientHttpRequestFactory(below), retries)
    return RestClient.builder().requestFactory(factory).build()
}
