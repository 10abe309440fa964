package dev.reprise.ktor

import dev.reprise.core.RetryTrace
import dev.reprise.faults.Certificates
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Observation
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.statement.HttpResponse
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import io.ktor.utils.io.ByteReadChannel
import kotlinx.coroutines.runBlocking
import java.net.URI
import kotlin.time.Duration.Companion.seconds

/** What CIO hands out as a good response: no policy can see it. */
private val HIDDEN_BY_CIO = setOf("CUT_CHUNKS", "EARLY_HINTS")

/** What `docs/research/http-faults.md` says of Ktor's engines. */
class MatrixPageTest :
    FunSpec({
        for (engine in Engine.entries) {
            val limited = quick.with { attemptTimeout = 2.seconds }
            val client = lazy { engine.client(Certificates.trusting()) { install(Retry) { policy = limited } } }
            val hidden = if (engine == Engine.CIO) HIDDEN_BY_CIO else emptySet()
            val matrix by lazy {
                Matrix.of(sender(client.value), engine.speaksHttp2, hidden).also {
                    if (java.lang.Boolean.getBoolean("faults.update")) MatrixPage().write("Ktor, $engine", it)
                }
            }
            val page by lazy { MatrixPage() }

            for (scenario in Scenario.all()) {
                test("$engine does what docs/research/http-faults.md says of $scenario") {
                    val played = matrix
                    val expected = page.cell("Ktor, $engine", scenario)

                    played.cell(scenario, expected) shouldBe expected
                }
            }
            afterSpec { if (client.isInitialized()) client.value.close() }
        }
    })

private fun sender(client: HttpClient) = Matrix.Client { kind, uri ->
    runBlocking {
        try {
            val response = client.send(kind, uri)
            Observation.of(response.status.value, response.bodyAsText())
        } catch (e: Exception) {
            Observation.of(e, RetryTrace.of(e))
        }
    }
}

internal suspend fun HttpClient.send(kind: Kind, uri: URI): HttpResponse = request("$uri") {
    method = HttpMethod(kind.method())
    when (kind) {
        Kind.GET -> {}
        Kind.POST -> setBody(kind.payload(uri))
        Kind.ONE_SHOT_PUT -> setBody(ByteReadChannel(kind.payload(uri)))
    }
}
