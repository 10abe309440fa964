package dev.reprise.samples

import com.sun.net.httpserver.HttpServer
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.ktor.KtorErrors
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.sse.SSE
import io.ktor.client.plugins.sse.sse
import io.ktor.client.request.header
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.onCompletion
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import kotlin.time.Duration.Companion.minutes

private class UsersApi {
    private var calls = 0

    fun fetch(id: String): String = if (++calls < 2) throw IOException("reset") else "user $id"
}

/** The snippets of the guide to coroutines, run. */
class CoroutinesPageTest :
    FunSpec({
        test("a call and a flow") {
            runTest {
                val api = UsersApi()
                val id = "7"
                var collections = 0
                val feed = flow {
                    emit(1)
                    if (++collections < 3) throw IOException("reset")
                }

                val retrier = Retrier()
                val user = retrier { api.fetch(id) }
                val prices = feed.retry(retrier, startOverAfter = 1.minutes)

                user shouldBe "user 7"
                prices.toList() shouldContainExactly listOf(1, 1, 1)
            }
        }

        test("a stream that should never end") {
            runTest {
                var collections = 0
                val feed = flow { emit(++collections) }

                val endless = feed.onCompletion { if (it == null) throw IOException("the stream ended") }

                endless.retry(Retrier()).take(2).toList() shouldContainExactly listOf(1, 2)
            }
        }

        test("server-sent events that are broken off, refused once and then go on") {
            val asked = mutableListOf<String?>()
            val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
            server.createContext("/") { exchange ->
                asked += exchange.requestHeaders.getFirst("Last-Event-ID")
                exchange.responseHeaders.add("Content-Type", "text/event-stream")
                exchange.sendResponseHeaders(if (asked.size == 2) 503 else 200, 0)
                exchange.responseBody.use { body ->
                    body.write("id: ${asked.size}\ndata: event ${asked.size}\n\n".toByteArray())
                }
            }
            server.start()
            val url = "http://127.0.0.1:${server.address.port}/"
            HttpClient(CIO) { install(SSE) }.use { client ->
                var last: String? = null
                val events = channelFlow {
                    client.sse(url, { last?.let { header("Last-Event-ID", it) } }) {
                        incoming.collect { send(it) }
                    }
                }.onEach { last = it.id ?: last }.onCompletion { if (it == null) throw IOException("the stream ended") }
                val policy = RetryPolicy.HTTP.with { classifyFirst(KtorErrors) }
                val feed = events.retry(Retrier(policy), startOverAfter = 1.minutes)

                runBlocking { feed.take(2).toList() }.map { it.data } shouldContainExactly listOf("event 1", "event 3")
                asked shouldContainExactly listOf(null, "1", "1")
            }
            server.stop(0)
        }
    })
