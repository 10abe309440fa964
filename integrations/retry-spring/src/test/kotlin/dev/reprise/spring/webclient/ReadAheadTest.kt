package dev.reprise.spring.webclient

import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.spring.http.HttpRetries
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.netty.buffer.UnpooledByteBufAllocator
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DefaultDataBufferFactory
import org.springframework.core.io.buffer.NettyDataBufferFactory
import org.springframework.core.io.buffer.PooledDataBuffer
import org.springframework.http.HttpStatus
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

private const val PART = 1024
private val LIMIT = Duration.ofSeconds(20)

/** A connection whose response has no end, and a client that reads a part of it within the attempt. */
private class Endless(status: HttpStatus) {
    val cancelled = AtomicInteger()
    private val body = Flux.generate<DataBuffer> {
        it.next(DefaultDataBufferFactory.sharedInstance.wrap(ByteArray(PART)))
    }
    private val retries = HttpRetries.builder().policy(RetryPolicy.HTTP).heldBytes(4 * PART).build()
    val request: WebClient.RequestHeadersSpec<*> = WebClient.builder().filter(RetryExchangeFilter(retries))
        .exchangeFunction {
            val sent = body.doOnCancel { cancelled.incrementAndGet() }
            Mono.just(ClientResponse.create(status).header("Content-Type", "text/plain").body(sent).build())
        }.build().get().uri("http://localhost/")
}

class ReadAheadTest :
    FunSpec({
        for (status in listOf(HttpStatus.OK, HttpStatus.NOT_FOUND)) {
            test("$status: whoever stops within the part that was read ahead ends the connection") {
                val endless = Endless(status)
                endless.request.exchangeToFlux { it.bodyToFlux(DataBuffer::class.java).take(1) }.blockLast(LIMIT)
                endless.cancelled.get() shouldBe 1
            }

            test("$status: whoever stops after it does, too") {
                val endless = Endless(status)
                endless.request.exchangeToFlux { it.bodyToFlux(DataBuffer::class.java).take(100) }.blockLast(LIMIT)
                endless.cancelled.get() shouldBe 1
            }
        }

        test("a body that was given up is not read again, and its release ends") {
            val endless = Endless(HttpStatus.OK)
            val response = endless.request.exchangeToMono { response ->
                response.bodyToFlux(DataBuffer::class.java).next().then(response.releaseBody())
            }
            shouldThrow<IllegalStateException> { response.block(LIMIT) }.message shouldBe "a body can be read once"
            endless.cancelled.get() shouldBe 1
        }

        test("a response that is rejected unread is released, with what of it is there already") {
            val buffers = NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT)
            val there = List(2) { buffers.allocateBuffer(PART).write(ByteArray(PART)) as PooledDataBuffer }
            val policy = RetryPolicy.HTTP.with {
                noBackoff()
                onResult { if ((it as WebOutcome).header("X-Stale") == null) null else Verdict.TRANSIENT }
            }
            var sent = 0
            val client = WebClient.builder()
                .filter(RetryExchangeFilter(HttpRetries.builder().policy(policy).build()))
                .exchangeFunction {
                    val response = ClientResponse.create(HttpStatus.OK).header("Content-Type", "video/mp4")
                    if (++sent == 1) response.header("X-Stale", "yes").body(Flux.fromIterable(there))
                    Mono.just(response.build())
                }.build()

            client.get().uri("http://localhost/").retrieve().toBodilessEntity().block(LIMIT)

            sent shouldBe 2
            there.map { it.isAllocated } shouldBe listOf(false, false)
        }
    })
