package dev.reprise.services

import com.sun.net.httpserver.HttpServer
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors

/** What a server answers: [status], [headers], a [body], and whether it breaks the connection before the body's end. */
class Answer(
    val status: Int,
    val body: String = "{}",
    val headers: Map<String, String> = emptyMap(),
    val isCut: Boolean = false,
)

/** Answers each request with the next of [script], the last of which repeats. */
class ScriptedServer(private vararg val script: Answer) : AutoCloseable {
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)

    /** The headers `X-Stainless-Retry-Count` of the requests. */
    val retryCounts = CopyOnWriteArrayList<String?>()

    val requests: Int get() = retryCounts.size
    val url: String get() = "http://127.0.0.1:${server.address.port}"

    init {
        server.executor = threads
        server.createContext("/") { exchange ->
            exchange.requestBody.readAllBytes()
            retryCounts += exchange.requestHeaders.getFirst("X-Stainless-Retry-Count")
            val answer = script[(requests - 1).coerceAtMost(script.size - 1)]
            exchange.responseHeaders.add("Content-Type", "application/json")
            answer.headers.forEach { (name, value) -> exchange.responseHeaders.set(name, value) }
            val bytes = answer.body.toByteArray()
            exchange.sendResponseHeaders(answer.status, bytes.size + if (answer.isCut) 1_000L else 0L)
            exchange.responseBody.write(bytes)
            exchange.responseBody.flush()
            // An exchange that is closed before its announced length breaks the connection.
            exchange.close()
        }
        server.start()
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }
}
