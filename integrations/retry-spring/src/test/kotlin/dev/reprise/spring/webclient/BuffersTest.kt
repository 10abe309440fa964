package dev.reprise.spring.webclient

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.netty.buffer.UnpooledByteBufAllocator
import io.netty.channel.ChannelOption
import kotlinx.coroutines.delay
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Flux
import reactor.netty.http.client.HttpClient
import reactor.netty.http.server.HttpServer
import reactor.netty.resources.ConnectionProvider
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds

private val PIECES = List(64) { "0123456789abcdef".repeat(500) }

/** What a client does with a response of half a megabyte in pieces. It may fail. */
private val USES: Map<String, (WebClient, String, Int) -> Unit> = mapOf(
    "all attempts fail" to { client, url, _ -> client.get().uri("$url/busy").retrieve().toBodilessEntity().block() },
    "the last failure is read" to { client, url, _ -> client.get().uri("$url/busy").text() },
    "the body is larger than the codecs allow" to { client, url, _ ->
        client.mutate().codecs { it.defaultCodecs().maxInMemorySize(20_000) }.build().get().uri("$url/good").text()
    },
    "one piece of a stream is taken" to { client, url, _ ->
        client.get().uri("$url/stream").exchangeToMono { it.bodyToFlux(ByteArray::class.java).next() }.block()
    },
    "the caller cancels a good body" to { client, url, number ->
        client.get().uri(
            "$url/slow",
        ).retrieve().bodyToMono(String::class.java).block(Duration.ofMillis(number.toLong()))
    },
    "the caller cancels a failure's body" to { client, url, number ->
        client.get().uri(
            "$url/late",
        ).retrieve().bodyToMono(String::class.java).block(Duration.ofMillis(number.toLong()))
    },
    "attempts are cut off in the body" to { client, url, number ->
        client.mutate().filters { filters ->
            filters.clear()
            filters += RetryExchangeFilter(
                quickly {
                    attemptTimeout = (number + 1).milliseconds
                    maxAttempts = 2
                },
            )
        }.build().get().uri("$url/slow").text()
    },
)

private const val CALLS = 40

private fun WebClient.RequestHeadersSpec<*>.text() = retrieve().bodyToMono(String::class.java).block()

/** Netty's buffers are counted, and one that nobody releases is memory that is lost for ever. */
class BuffersTest :
    FunSpec({
        val slowly = { Flux.fromIterable(PIECES).delayElements(Duration.ofMillis(1)) }
        val server = HttpServer.create().port(0).route { routes ->
            routes.get("/busy") { _, response -> response.status(503).sendString(Flux.fromIterable(PIECES)) }
            routes.get("/late") { _, response -> response.status(503).sendString(slowly()) }
            routes.get("/good") { _, response -> response.sendString(Flux.fromIterable(PIECES)) }
            // Of unknown length and no text: passed on as it comes.
            routes.get("/stream") { _, response ->
                response.header("Content-Type", "application/octet-stream").sendString(slowly())
            }
            routes.get("/slow") { _, response -> response.header("Content-Type", "text/plain").sendString(slowly()) }
        }.bindNow()
        val url = "http://localhost:${server.port()}"

        afterSpec { server.disposeNow() }

        fun used(buffers: UnpooledByteBufAllocator) = buffers.metric().run { usedHeapMemory() + usedDirectMemory() }

        /** Has [use] make its calls, and returns the memory that Netty still holds when all connections are closed. */
        suspend fun kept(use: (WebClient, String, Int) -> Unit): Long {
            val buffers = UnpooledByteBufAllocator(true)
            val connections = ConnectionProvider.create("buffers", 10)
            val netty = HttpClient.create(connections).disableRetry(true).option(ChannelOption.ALLOCATOR, buffers)
            val client = WebClient.builder().clientConnector(ReactorClientHttpConnector(netty))
                .codecs { it.defaultCodecs().maxInMemorySize(-1) }
                .filter(RetryExchangeFilter(quickly())).build()
            repeat(CALLS) { runCatching { use(client, url, it) } }
            connections.disposeLater().block()
            // The event loop closes a connection a little later.
            var rounds = 0
            while (used(buffers) > 0 && rounds++ < 200) delay(10)
            return used(buffers)
        }

        for ((name, use) in USES) {
            test("every buffer is released when $name") {
                kept(use) shouldBe 0
            }
        }

        test("a buffer that the caller keeps is seen") {
            val keeping = { client: WebClient, url: String, _: Int ->
                client.get().uri("$url/stream").retrieve().bodyToFlux(DataBuffer::class.java).blockLast()
                Unit
            }
            kept(keeping) shouldBeGreaterThan 0
        }
    })
