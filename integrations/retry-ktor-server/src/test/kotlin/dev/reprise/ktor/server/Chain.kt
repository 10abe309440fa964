package dev.reprise.ktor.server

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.ktor.Retry
import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.request.get
import io.ktor.client.request.headers
import io.ktor.client.statement.HttpResponse
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.install
import io.ktor.server.cio.CIO
import io.ktor.server.engine.EmbeddedServer
import io.ktor.server.engine.embeddedServer
import io.ktor.server.response.respond
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import java.util.Collections
import kotlin.time.Duration.Companion.milliseconds
import io.ktor.client.engine.cio.CIO as ClientEngine

/** Real servers in a row; each but the last asks the next one by a client that makes three attempts. */
class Chain : AutoCloseable {
    private val closeables = mutableListOf<AutoCloseable>()

    /** The numbers of the requests that the last server got, as their headers tell. */
    val atLeaf: MutableList<String?> = Collections.synchronizedList(mutableListOf())

    /** A server that runs [serve] for each request. Returns its address. */
    suspend fun server(configure: Application.() -> Unit = {}, serve: suspend (ApplicationCall) -> Unit): String {
        val server: EmbeddedServer<*, *> = embeddedServer(CIO, port = 0, host = "127.0.0.1") {
            configure()
            routing { get("/") { serve(call) } }
        }
        server.start()
        closeables += AutoCloseable { server.stop(0, 0) }
        return "http://127.0.0.1:${server.engine.resolvedConnectors().single().port}/"
    }

    /** The last server, which answers [status]. */
    suspend fun leaf(status: HttpStatusCode = HttpStatusCode.ServiceUnavailable): String = server {
        atLeaf += it.request.headers["amz-sdk-request"]
        it.respond(status)
    }

    /** A client of three attempts under [changes]. */
    fun client(throws: Boolean = false, changes: RetryPolicyBuilder.() -> Unit = {}): HttpClient {
        val client = HttpClient(ClientEngine) {
            expectSuccess = throws
            install(HttpTimeout) { requestTimeoutMillis = 30_000 }
            install(Retry) {
                policy = RetryPolicy.HTTP.with {
                    maxAttempts = 3
                    backoff = Backoff.fixed(1.milliseconds)
                    quota = null
                    changes()
                }
            }
        }
        closeables += AutoCloseable { client.close() }
        return client
    }

    override fun close() = closeables.asReversed().forEach { it.close() }
}

/** Answers as [response] did. */
suspend fun ApplicationCall.passOn(response: HttpResponse) = respond(response.status)

/** Asks [url] while [upstream] headers are sent. */
suspend fun HttpClient.ask(url: String, vararg upstream: Pair<String, String>): HttpResponse =
    get(url) { headers { upstream.forEach { (name, value) -> append(name, value) } } }
