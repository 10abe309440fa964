package dev.reprise.spring.webclient

import dev.reprise.build.WaitingSpec
import dev.reprise.build.rounds
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Verdict
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientRequestException
import reactor.netty.http.client.HttpClient
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

private fun WebClient.get(server: FaultServer): String? =
    get().uri(server.uri()).retrieve().bodyToMono(String::class.java).block()

/** WebClient over each HTTP library that Boot may put below it. */
class EveryConnectorTest :
    WaitingSpec({
        test("NETTY: a packed body that does not fit its checksum is asked for again") {
            val packed = Replies.packed("packed")
            val damaged = packed.dropLast(8) + "x".repeat(8)
            FaultServer(Replies.status(200, damaged, "Content-Encoding: gzip"), Fault.NONE).use { server ->
                val client = WebClient.builder().filter(RetryExchangeFilter(quickly()))
                    .clientConnector(ReactorClientHttpConnector(HttpClient.create().compress(true))).build()
                client.get(server) shouldBe Fault.BODY
            }
        }

        for (connector in Connector.entries) {
            test("$connector: a failure that trickles in is read for a second, then retried") {
                FaultServer(Fault.NONE, Replies.trickling(503, 30), Fault.NONE).use { server ->
                    val client = connector.client(quickly { maxAttempts = 2 })
                    client.get(server)
                    measureTime { client.get(server) shouldBe Fault.BODY }.inWholeSeconds shouldBeLessThan 15
                }
            }

            test("$connector: with one connection a retry does not wait for its own rejected response") {
                val stalls = listOf(
                    Replies.trickling(503, 30),
                    Replies.stallAfter(503, "busy"),
                    Replies.stallWithoutLength(503, "busy"),
                )
                FaultServer { number, _ -> if (number % 2 == 0) stalls[number / 2 % 3] else Fault.NONE }.use {
                    val client = connector.client(quickly { maxAttempts = 2 }, most = 1)
                    repeat(3) { _ ->
                        measureTime { client.get(it) shouldBe Fault.BODY }.inWholeSeconds shouldBeLessThan 15
                    }
                }
            }

            test("$connector: a good body that stalls never passes for a whole one") {
                val text = "x".repeat(20_000)
                val half = Replies.chunk(text)
                val stall = Replies.pausing(3_000, Replies.chunkedHead(200) + half, half + Replies.chunk(""))
                FaultServer(stall).use { server ->
                    val client = connector.client(
                        quickly {
                            attemptTimeout = 200.milliseconds
                            maxAttempts = 2
                        },
                    )
                    repeat(rounds(few = 2, many = 8)) {
                        val end = runCatching { client.get(server) }
                        withClue("${end.getOrNull()?.length} characters, ${end.exceptionOrNull()}") {
                            generateSequence(end.exceptionOrNull()) { it.cause }
                                .any { it is AttemptTimeoutException } shouldBe true
                        }
                    }
                }
            }

            test("$connector: a good body that ends before its length breaks in the caller's hands, held or not") {
                val cut = "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + "x".repeat(1_000_000)
                FaultServer(Replies.raw(cut, false)).use { server ->
                    runCatching { connector.client(quickly { maxAttempts = 1 }).get(server) }.isFailure shouldBe true
                }
            }

            test("$connector: a rule that rejects by the head is asked once, and the body not waited for") {
                FaultServer(
                    Fault.NONE,
                    Replies.trickling(202, 30),
                    Fault.NONE,
                    Replies.trickling(202, 30),
                ).use { server ->
                    var asked = 0
                    val client = connector.client(
                        quickly {
                            maxAttempts = 2
                            attemptTimeout = 3.seconds
                            onResult {
                                asked++
                                if ((it as HttpOutcome).status == 202) Verdict.TRANSIENT else null
                            }
                        },
                    )
                    client.get(server)
                    measureTime { client.get(server) shouldBe Fault.BODY }.inWholeMilliseconds shouldBeLessThan 15_000
                    asked shouldBe 3
                    // The end of a call keeps its attempt's limit.
                    shouldThrow<WebClientRequestException> { client.get(server) }
                }
            }

            // The JDK's connector lets nothing end a body, as the page says.
            if (connector != Connector.JDK) {
                test("$connector: what stalls leaves no connection behind") {
                    val stalls = listOf(
                        Replies.stallInChunks(503, "busy"),
                        Replies.stallAfter(503, "busy"),
                        Fault.STALLED_CHUNKS,
                        Replies.stall(),
                    )
                    FaultServer { number, _ ->
                        if (number % 2 == 0) stalls[number / 2 % stalls.size] else Fault.NONE
                    }.use { server ->
                        val client = connector.client(
                            quickly {
                                attemptTimeout = 500.milliseconds
                                maxAttempts = 12 // A busy machine may be late with the second.
                            },
                        )
                        repeat(8) { client.get(server) shouldBe Fault.BODY }
                        eventually(10.seconds) { server.openConnections() shouldBeLessThan 3 }
                    }
                }
            }

            test(
                "$connector: a rule may reject a good response that is not held, and its connection comes back or is closed",
            ) {
                val large = "HTTP/1.1 202 Accepted\r\nContent-Length: 2000000\r\n\r\n" + "x".repeat(2_000_000)
                FaultServer { number, _ ->
                    if (number % 2 == 0) Replies.raw(large, true) else Fault.NONE
                }.use { server ->
                    val client = connector.client(
                        quickly {
                            maxAttempts = 2
                            onResult {
                                if ((it as? HttpOutcome)?.status == 202) Verdict.Retry(FailureKind.TRANSIENT) else null
                            }
                        },
                    )
                    repeat(15) { client.get(server) shouldBe Fault.BODY }
                    server.requests().size shouldBe 30
                    eventually(10.seconds) { server.openConnections() shouldBeLessThan 5 }
                }
            }
        }
    })
