package dev.reprise.spring.http

import dev.reprise.build.WaitingSpec
import dev.reprise.build.rounds
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.Verdict
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime
import kotlin.time.measureTimedValue

/** A failure's body that comes for longer than any call here may wait for it. */
private val TRICKLE = Replies.trickling(503, 30)

/** A good body that stalls after [text], long enough for any limit here, and goes on with [rest]. */
private fun stalling(text: String, rest: String = ""): Reply = Replies.pausing(
    3_000,
    Replies.chunkedHead(200) + Replies.chunk(text),
    (if (rest.isEmpty()) "" else Replies.chunk(rest)) + Replies.chunk(""),
)

private fun retries(change: RetryPolicyBuilder.() -> Unit): HttpRetries {
    val policy = RetryPolicy.HTTP.with {
        noBackoff()
        noQuota()
        change()
    }
    return HttpRetries.builder().policy(policy).build()
}

private fun RestClient.get(server: FaultServer): String? = get().uri(server.uri()).retrieve().body(String::class.java)

private fun causes(thrown: Throwable) = generateSequence(thrown) { it.cause }.toList()

/** RestClient over each HTTP library that Boot may put below it. */
class EveryFactoryTest :
    WaitingSpec({
        beforeSpec {
            // Loading a client's classes takes longer than the limits below.
            FaultServer(Fault.NONE).use { server ->
                for (factory in Factory.entries) factory.client(retries {}).get(server)
            }
        }

        for (factory in Factory.entries) {
            for (face in Face.entries) {
                val name = "$factory, $face"

                test("$name: a failure that trickles in is read for a second, then retried") {
                    FaultServer(TRICKLE, Fault.NONE).use { server ->
                        val client = factory.client(retries { maxAttempts = 2 }, face)
                        FaultServer(Fault.NONE).use(client::get)
                        val took = measureTime { client.get(server) shouldBe Fault.BODY }
                        took.inWholeSeconds shouldBeLessThan 15
                    }
                }

                test("$name: with one connection a retry does not wait for its own rejected response") {
                    val stalls =
                        listOf(TRICKLE, Replies.stallAfter(503, "busy"), Replies.stallWithoutLength(503, "busy"))
                    FaultServer { number, _ -> if (number % 2 == 0) stalls[number / 2 % 3] else Fault.NONE }.use {
                        val client = factory.client(retries { maxAttempts = 2 }, face, most = 1)
                        repeat(3) { _ ->
                            measureTime { client.get(it) shouldBe Fault.BODY }.inWholeSeconds shouldBeLessThan 15
                        }
                    }
                }

                test("$name: a failure that trickles in ends with its attempt") {
                    FaultServer(TRICKLE).use { server ->
                        val client = factory.client(
                            retries {
                                maxAttempts = 2
                                attemptTimeout = 1.seconds
                            },
                            face,
                        )
                        val (thrown, took) = measureTimedValue { shouldThrow<Exception> { client.get(server) } }
                        took.inWholeSeconds shouldBeLessThan 15
                        causes(thrown).any { it is AttemptTimeoutException } shouldBe true
                        server.requests().size shouldBe 2
                    }
                }

                for ((text, rest) in listOf("hello" to "", "x".repeat(20_000) to "x".repeat(20_000))) {
                    test("$name: a body that stalls after ${text.length} characters never passes for a whole one") {
                        FaultServer(stalling(text, rest)).use { server ->
                            val limits = retries {
                                attemptTimeout = 150.milliseconds
                                maxAttempts = 2
                            }
                            val client = factory.client(limits, face)
                            client.runCatching { get(server) }
                            repeat(rounds(few = 2, many = 8)) {
                                val end = runCatching { client.get(server) }
                                withClue("${end.getOrNull()?.length} characters, ${end.exceptionOrNull()}") {
                                    val causes = end.exceptionOrNull()?.let(::causes).orEmpty()
                                    causes.any { it is SocketTimeoutException } shouldBe true
                                }
                            }
                        }
                    }
                }

                test("$name: a good body that ends before its length breaks in the caller's hands, held or not") {
                    val client = factory.client(retries { maxAttempts = 1 }, face)
                    for (size in listOf(9, 1_000_000)) {
                        for (header in listOf("", "Content-Encoding: odd\r\n")) {
                            val head = "HTTP/1.1 200 OK\r\n${header}Content-Length: ${2 * size}\r\n\r\n"
                            FaultServer(Replies.raw(head + "x".repeat(size), false)).use { server ->
                                withClue("$size bytes, $header") { shouldThrow<Exception> { client.get(server) } }
                            }
                        }
                    }
                }

                test("$name: a response that is not held may be rejected; its connection comes back or is closed") {
                    val large = "HTTP/1.1 202 Accepted\r\nContent-Length: 2000000\r\n\r\n" + "x".repeat(2_000_000)
                    val alternating =
                        FaultServer { number, _ -> if (number % 2 == 0) Replies.raw(large, true) else Fault.NONE }
                    alternating.use { server ->
                        val rule = retries {
                            maxAttempts = 2
                            onResult {
                                if ((it as? HttpOutcome)?.status == 202) Verdict.Retry(FailureKind.TRANSIENT) else null
                            }
                        }
                        val client = factory.client(rule, face)
                        repeat(15) { client.get(server) shouldBe Fault.BODY }
                        server.requests().size shouldBe 30
                        eventually(10.seconds) { server.openConnections() shouldBeLessThan 5 }
                    }
                }

                test("$name: a failure that stalls is retried after a second, without any limit") {
                    FaultServer { number, _ ->
                        when (number) {
                            1 -> Replies.stallInChunks(503, "busy")
                            3 -> Replies.stallAfter(503, "busy")
                            else -> Fault.NONE
                        }
                    }.use { server ->
                        val client = factory.client(retries { maxAttempts = 2 }, face)
                        client.get(server)
                        repeat(2) {
                            measureTime { client.get(server) shouldBe Fault.BODY }.inWholeMilliseconds shouldBeLessThan
                                15_000
                        }
                    }
                }

                if (factory != Factory.SIMPLE) {
                    test("$name: a failure that pauses reaches its caller whole") {
                        val text = "x".repeat(20_000)
                        val paused = Replies.pausing(
                            1_500,
                            Replies.chunkedHead(404) + Replies.chunk(text),
                            Replies.chunk(text) + Replies.chunk(""),
                        )
                        FaultServer(paused).use { server ->
                            val client = factory.client(retries { maxAttempts = 2 }, face)
                            shouldThrow<RestClientResponseException> { client.get(server) }
                                .responseBodyAsString shouldBe text + text
                        }
                    }
                }

                test(
                    "$name: a rule that rejects a good response by its head is asked once, and its body not waited for",
                ) {
                    FaultServer(Fault.NONE, Replies.trickling(202, 30), Fault.NONE).use { server ->
                        var asked = 0
                        val rule = retries {
                            maxAttempts = 2
                            onResult {
                                asked++
                                if ((it as HttpOutcome).status == 202) Verdict.TRANSIENT else null
                            }
                        }
                        val client = factory.client(rule, face)
                        client.get(server)
                        measureTime { client.get(server) shouldBe Fault.BODY }.inWholeMilliseconds shouldBeLessThan
                            15_000
                        asked shouldBe 3
                    }
                }

                test("$name: a rejected good response that ends the call is cut at the end of its attempt") {
                    FaultServer(Fault.NONE, Replies.trickling(202, 30)).use { server ->
                        val rule = retries {
                            maxAttempts = 1
                            attemptTimeout = 700.milliseconds
                            onResult { if ((it as HttpOutcome).status == 202) Verdict.TRANSIENT else null }
                        }
                        val client = factory.client(rule, face)
                        client.get(server)
                        val (thrown, took) = measureTimedValue { shouldThrow<Exception> { client.get(server) } }
                        took.inWholeMilliseconds shouldBeLessThan 15_000
                        causes(thrown).any { it is AttemptTimeoutException } shouldBe true
                    }
                }

                test("$name: what stalls, be it a failure, a good body or a head, leaves no connection behind") {
                    val stalls =
                        mutableListOf(Replies.stallInChunks(503, "busy"), Fault.STALLED_CHUNKS, Replies.stall())
                    // HttpURLConnection reads on for five seconds what says its length, one such response at a time.
                    if (factory != Factory.SIMPLE) stalls += Replies.stallAfter(503, "busy")
                    FaultServer { number, _ ->
                        if (number % 2 == 0) stalls[number / 2 % stalls.size] else Fault.NONE
                    }.use { server ->
                        val client = factory.client(
                            retries {
                                attemptTimeout = 300.milliseconds
                                maxAttempts = 12 // A busy machine may be late with the second.
                            },
                            face,
                        )
                        repeat(6) { client.get(server) shouldBe Fault.BODY }
                        eventually(60.seconds) { server.openConnections() shouldBeLessThan 3 }
                    }
                }

                if (factory == Factory.SIMPLE) continue
                test("$name: an attempt's limit ends a write that the server does not read") {
                    FaultServer(Fault.UNREAD).use { server ->
                        val client = factory.client(
                            retries {
                                attemptTimeout = 700.milliseconds
                                maxAttempts = 2
                            },
                            face,
                        )
                        val took = measureTime {
                            shouldThrow<Exception> {
                                client.put().uri(server.uri()).body(ByteArray(20_000_000)).retrieve().toBodilessEntity()
                            }
                        }
                        took.inWholeSeconds shouldBeLessThan 20
                        server.served() shouldBe 2
                    }
                }
            }
        }
    })
