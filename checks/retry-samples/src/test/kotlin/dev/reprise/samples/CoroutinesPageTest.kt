package dev.reprise.samples

import com.sun.net.httpserver.HttpServer
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryableFailure
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.ktor.KtorErrors
import dev.reprise.test.Recorder
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeGreaterThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.sse.SSE
import io.ktor.client.plugins.sse.sse
import io.ktor.client.request.header
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.first
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
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

private class UsersApi {
    private var calls = 0

    fun fetch(id: String): String = if (++calls < 2) throw IOException("reset") else "user $id"
}

class StreamEnded(override val serverDelay: Duration?) :
    IOException("the stream ended"),
    RetryableFailure {
    override val failureKind = FailureKind.TRANSIENT
}

/** Answers each request with one event; the second one with a 503. Blocks that say only [retry] come before each event. */
private fun eventServer(asked: MutableList<String?>, retry: String = ""): HttpServer {
    val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    server.createContext("/") { exchange ->
        asked += exchange.requestHeaders.getFirst("Last-Event-ID")
        exchange.responseHeaders.add("Content-Type", "text/event-stream")
        exchange.sendResponseHeaders(if (asked.size == 2) 503 else 200, 0)
        exchange.responseBody.use { body ->
            body.write("${retry}id: ${asked.size}\ndata: event ${asked.size}\n\n".toByteArray())
        }
    }
    server.start()
    return server
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
            val server = eventServer(asked, retry = "retry: 300\n\n")
            val url = "http://127.0.0.1:${server.address.port}/"
            val recorder = Recorder()
            HttpClient(CIO) { install(SSE) { showRetryEvents() } }.use { client ->
                var last: String? = null
                var wait: Duration? = null
                val events = channelFlow {
                    client.sse(url, { last?.let { header("Last-Event-ID", it) } }) {
                        incoming.collect { send(it) }
                    }
                }.onEach {
                    last = it.id ?: last
                    wait = it.retry?.milliseconds ?: wait
                }.onCompletion { if (it == null) throw StreamEnded(wait) }
                val policy = RetryPolicy.HTTP.with {
                    classifyFirst(KtorErrors)
                    maxAttempts = 1_000
                    noQuota()
                    exponentialBackoff(base = 1.seconds, cap = 30.seconds)
                }
                val feed = events.retry(Retrier(policy), startOverAfter = 1.minutes)

                val watched = events.retry(Retrier(policy).with(recorder), startOverAfter = 1.minutes)
                    .filter { it.data != null }
                runBlocking { watched.take(2).toList() }.map { it.data } shouldContainExactly
                    listOf("event 1", "event 3")
                asked shouldContainExactly listOf(null, "1", "1")
                val waits = recorder.events.filterIsInstance<RetryEvent.RetryScheduled>()
                waits.map { it.serverDelay?.delay } shouldContainExactly listOf(300.milliseconds, null)
                waits.first().delay shouldBeGreaterThanOrEqualTo 300.milliseconds
                runBlocking { feed.filter { it.data != null }.first().data } shouldBe "event 4"
            }
            server.stop(0)
        }
    })
