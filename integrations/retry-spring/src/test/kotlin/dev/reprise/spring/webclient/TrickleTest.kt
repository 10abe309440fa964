package dev.reprise.spring.webclient

import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
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

private val TEXT = ('a'..'z').joinToString("")
private const val HEAD = "HTTP/1.1 503 Busy\r\nContent-Length: 26\r\n\r\n"

/** A 503 whose body takes 2.6 seconds. */
private val TRICKLE = Replies.pausing(100, HEAD, *TEXT.map { "$it" }.toTypedArray())

/** A 503 whose body is silent for three seconds. */
private val SILENCE = Replies.pausing(3_000, HEAD, TEXT)

private fun WebClient.get(server: FaultServer): String? =
    get().uri(server.uri()).retrieve().bodyToMono(String::class.java).block()

/** A failure's body that trickles in, or never comes: it must not hold up the retry, and the caller gets it whole if there is none. */
class TrickleTest :
    FunSpec({
        for (connector in Connector.entries) {
            for ((name, reply) in mapOf("trickles in" to TRICKLE, "does not come" to SILENCE)) {
                test("$connector: a failure whose body $name is read for a second, then retried") {
                    FaultServer(reply, Fault.NONE).use { server ->
                        val client = connector.client(quickly { maxAttempts = 2 })
                        val took = measureTime { client.get(server) shouldBe Fault.BODY }
                        took.inWholeMilliseconds shouldBeLessThan if (reply === SILENCE) 2_900 else 2_000
                    }
                }

                test("$connector: if its body $name and it is the call's end, the caller gets the whole body") {
                    FaultServer(reply).use { server ->
                        val client = connector.client(quickly { maxAttempts = 1 })
                        shouldThrow<WebClientResponseException> { client.get(server) }.responseBodyAsString shouldBe
                            TEXT
                    }
                }
            }

            test("$connector: the limit of the last attempt holds for what is left of it") {
                FaultServer(TRICKLE).use { server ->
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
                    took.inWholeMilliseconds shouldBeLessThan 2_200
                }
            }
        }

        test("a reader that asks for one buffer at a time is never sent more") {
            FaultServer(TRICKLE).use { server ->
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
