package dev.reprise.spring.webclient

import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.spring.http.CuttableRequests
import dev.reprise.spring.http.RetryInterceptor
import dev.reprise.spring.http.RetryingRequestFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.netty.buffer.UnpooledByteBufAllocator
import io.netty.channel.ChannelOption
import kotlinx.coroutines.delay
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.http.client.ReactorClientHttpRequestFactory
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.client.RestClient
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Flux
import reactor.netty.http.client.HttpClient
import reactor.netty.http.server.HttpServer
import reactor.netty.resources.ConnectionProvider
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds

private val PIECES = List(64) { "0123456789abcdef".repeat(500) }

private const val CALLS = 10

/** Makes a call by a client over [netty]: the [number]th to [url]. It may fail. */
private class Use(val netty: HttpClient, val url: String, val number: Int) {
    fun web(most: Int = -1, changes: RetryPolicyBuilder.() -> Unit = {}): WebClient =
        WebClient.builder().clientConnector(ReactorClientHttpConnector(netty))
            .codecs { it.defaultCodecs().maxInMemorySize(most) }
            .filter(RetryExchangeFilter(quickly(changes)))
            .build()

    fun WebClient.text(path: String, limit: Long = 60_000): String? =
        get().uri(url + path).retrieve().bodyToMono(String::class.java).block(Duration.ofMillis(limit))

    private val factory = ReactorClientHttpRequestFactory(CuttableRequests.ofNetty(netty))

    fun rest(changes: RetryPolicyBuilder.() -> Unit = {}): RestClient =
        RestClient.builder().requestFactory(RetryingRequestFactory(factory, quickly(changes))).build()

    fun intercepted(): RestClient =
        RestClient.builder().requestFactory(factory).requestInterceptor(RetryInterceptor(quickly())).build()

    fun RestClient.text(path: String): String? = get().uri(url + path).retrieve().body(String::class.java)

    /** Cuts each of two attempts off. */
    fun RetryPolicyBuilder.cutOff() {
        attemptTimeout = (2 * number + 1).milliseconds
        maxAttempts = 2
    }
}

/** Ways to drop a response of half a megabyte in pieces. */
private val USES: Map<String, Use.() -> Unit> = mapOf(
    "all attempts fail" to { web().get().uri("$url/busy").retrieve().toBodilessEntity().block() },
    "the last failure is read" to { web().text("/busy") },
    "the body is larger than the codecs allow" to { web(most = 20_000).text("/good") },
    "one piece of a stream is taken" to {
        web().get().uri("$url/stream").exchangeToMono { it.bodyToFlux(ByteArray::class.java).next() }.block()
    },
    "the caller cancels a good body" to { web().text("/slow", limit = 2L * number) },
    "the caller cancels a failure's body" to { web().text("/late", limit = 2L * number) },
    "attempts are cut off in a good body" to { web { cutOff() }.text("/slow") },
    "attempts are cut off in a failure's body" to { web { cutOff() }.text("/late") },
    "all attempts of a RestClient fail" to { rest().text("/busy") },
    "all attempts under a RestClient's interceptor fail" to { intercepted().text("/busy") },
    "a RestClient's caller reads one piece of a stream" to {
        rest().get().uri("$url/stream").exchange { _, response -> response.body.readNBytes(10) }
    },
    "a RestClient's attempts are cut off in a good body" to { rest { cutOff() }.text("/slow") },
    "a RestClient's attempts are cut off in a failure's body" to { rest { cutOff() }.text("/late") },
)

/** Netty counts its buffers: the memory of one that is not released is lost for ever. */
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

        afterSpec { server.disposeNow() }

        /** Has [use] make its calls, and returns how many bytes Netty still holds when all connections are closed. */
        suspend fun kept(use: Use.() -> Unit): Long {
            val buffers = UnpooledByteBufAllocator(true)
            fun used() = buffers.metric().run { usedHeapMemory() + usedDirectMemory() }
            val connections = ConnectionProvider.create("buffers", 10)
            val netty = HttpClient.create(connections).disableRetry(true).option(ChannelOption.ALLOCATOR, buffers)
            repeat(CALLS) { runCatching { Use(netty, "http://localhost:${server.port()}", it).use() } }
            connections.disposeLater().block()
            // The event loop closes a connection a little later.
            var rounds = 0
            while (used() > 0 && rounds++ < 500) delay(10)
            return used()
        }

        for ((name, use) in USES) {
            test("every buffer is released when $name") {
                kept(use) shouldBe 0
            }
        }

        test("a buffer that the caller keeps is seen") {
            val keeping: Use.() -> Unit = {
                web().get().uri("$url/stream").retrieve().bodyToFlux(DataBuffer::class.java).blockLast()
            }
            kept(keeping) shouldBeGreaterThan 0
        }
    })
