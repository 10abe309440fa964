package dev.reprise.spring.webclient

import dev.reprise.build.WaitingSpec
import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DataBufferUtils
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientRequestException
import org.springframework.web.reactive.function.client.WebClientResponseException
import reactor.core.publisher.Mono
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.measureTime

private val TEXT = ('a'..'z').joinToString("").repeat(3)
private const val HEAD = "HTTP/1.1 503 Busy\r\nContent-Length: 78\r\n\r\n"

/** A 503 whose body comes byte by byte. */
private fun trickle(seconds: Int) = Replies.pausing(seconds * 1_000L / 78, HEAD, *TEXT.map { "$it" }.toTypedArray())

/** A 503 whose body is silent at first. */
private fun silence(seconds: Int) = Replies.pausing(seconds * 1_000L, HEAD, TEXT)

private fun WebClient.get(server: FaultServer): String? =
    get().uri(server.uri()).retrieve().bodyToMono(String::class.java).block()

/** A failure's body that trickles in, or never comes: it must not hold up the retry, and the caller gets it whole if there is none. */
class TrickleTest :
    WaitingSpec({
        val bodies = mapOf<String, (Int) -> Reply>("trickles in" to ::trickle, "does not come" to ::silence)
        for (connector in Connector.entries) {
            for ((name, body) in bodies) {
                test("$connector: a failure whose body $name is read for a second, then retried") {
                    FaultServer(body(30), Fault.NONE).use { server ->
                        val client = connector.client(quickly { maxAttempts = 2 })
                        val took = measureTime { client.get(server) shouldBe Fault.BODY }
                        took.inWholeSeconds shouldBeLessThan 15
                    }
                }

                test("$connector: if its body $name and it is the call's end, the caller gets the whole body") {
                    FaultServer(body(2)).use { server ->
                        val client = connector.client(quickly { maxAttempts = 1 })
                        shouldThrow<WebClientResponseException> { client.get(server) }.responseBodyAsString shouldBe
                            TEXT
                    }
                }
            }

            test("$connector: the limit of the last attempt holds for what is left of it") {
                FaultServer(trickle(30)).use { server ->
                    val client = connector.client(
                        quickly {
                            maxAttempts = 1
                            attemptTimeout = 1_300.milliseconds
                        },
                    )
                    val took = measureTime {
                        val body = client.get().uri(server.uri()).exchangeToMono { it.bodyToMono(String::class.java) }
                        val thrown = shouldThrow<WebClientRequestException> { body.block() }
                        RetryTrace.of(thrown)?.attempts shouldBe 1
                    }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }
        }

        test("a reader that asks for one buffer at a time is never sent more") {
            FaultServer(trickle(2)).use { server ->
                val client = Connector.NETTY.client(quickly { maxAttempts = 1 })
                val read = client.get().uri(server.uri()).exchangeToMono { response ->
                    response.bodyToFlux(DataBuffer::class.java).limitRate(1).map { buffer ->
                        ByteArray(buffer.readableByteCount()).also(buffer::read).decodeToString()
                            .also { DataBufferUtils.release(buffer) }
                    }.concatMap({ Mono.delay(java.time.Duration.ofMillis(20)).thenReturn(it) }, 1)
                        .collectList().map { it.joinToString("") }
                }
                read.block() shouldBe TEXT
            }
        }
    })
