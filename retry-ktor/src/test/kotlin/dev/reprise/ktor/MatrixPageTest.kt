package dev.reprise.ktor

import dev.reprise.faults.Certificates
import dev.reprise.faults.Held
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.MatrixPage
import dev.reprise.faults.Observation
import dev.reprise.faults.Scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.plugins.pluginOrNull
import io.ktor.client.plugins.sse.SSE
import io.ktor.client.plugins.sse.sse
import io.ktor.client.plugins.websocket.WebSockets
import io.ktor.client.plugins.websocket.webSocket
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.statement.HttpResponse
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import io.ktor.utils.io.ByteReadChannel
import io.ktor.websocket.Frame
import io.ktor.websocket.readText
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import java.net.URI
import kotlin.time.Duration.Companion.seconds

/** What CIO hands out as a good response: no policy can see it. */
private val HIDDEN_BY_CIO = setOf("CUT_CHUNKS", "EARLY_HINTS")

/** What `docs/figures/http-faults.csv` says of Ktor's engines. */
class MatrixPageTest :
    FunSpec({
        val clients = lazy {
            val limited = quick.with { attemptTimeout = 2.seconds }
            Engine.entries.associateWith { engine ->
                engine.client(Certificates.trusting()) {
                    install(Retry) { policy = limited }
                    install(SSE)
                    if (engine != Engine.Apache5) install(WebSockets)
                }
            }
        }
        // All engines at once: most of the time a scenario waits.
        val matrices by lazy {
            clients.value.mapValues { (engine, client) ->
                val hidden = if (engine == Engine.CIO) HIDDEN_BY_CIO else emptySet()
                Matrix.of(Sender(client), engine.speaksHttp2, hidden)
            }
        }
        val page by lazy {
            if (java.lang.Boolean.getBoolean("faults.update")) {
                matrices.forEach { (engine, matrix) -> MatrixPage().write("Ktor, $engine", matrix) }
            }
            MatrixPage()
        }
        for (engine in Engine.entries) {
            for (scenario in Scenario.all()) {
                test("$engine does what docs/figures/http-faults.csv says of $scenario") {
                    val played = matrices.getValue(engine)
                    val expected = page.cell("Ktor, $engine", scenario)

                    played.cell(scenario, expected) shouldBe expected
                }
            }
        }
        afterSpec { if (clients.isInitialized()) clients.value.values.forEach { it.close() } }
    })

private class Sender(private val client: HttpClient) : Matrix.Client {
    override fun send(kind: Kind, uri: URI) =
        observed { client.send(kind, uri).let { it.status.value to it.bodyAsText() } }

    override fun hold(held: Held, uri: URI): Observation? = when (held) {
        Held.EVENTS -> observed {
            var data: String? = null
            client.sse("$uri") { data = incoming.first().data }
            200 to data!!
        }

        Held.SOCKET -> if (client.pluginOrNull(WebSockets) == null) {
            null
        } else {
            observed {
                var text: String? = null
                client.webSocket("$uri".replace("http", "ws")) { text = (incoming.receive() as Frame.Text).readText() }
                200 to text!!
            }
        }
    }
}

private fun observed(send: suspend () -> Pair<Int, String>): Observation = Observation.of {
    runBlocking { send() }.let { (status, body) -> Observation.of(status, body) }
}

internal suspend fun HttpClient.send(kind: Kind, uri: URI): HttpResponse = request("$uri") {
    method = HttpMethod(kind.method())
    when (kind) {
        Kind.GET -> {}
        Kind.POST -> setBody(kind.payload(uri))
        Kind.ONE_SHOT_PUT -> setBody(ByteReadChannel(kind.payload(uri)))
    }
}
