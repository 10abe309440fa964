package dev.reprise.apachehttp

import dev.reprise.build.WaitingSpec
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.Verdict
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.apache.hc.client5.http.classic.methods.HttpGet
import org.apache.hc.core5.http.ContentType
import org.apache.hc.core5.http.io.entity.ByteArrayEntity
import org.apache.hc.core5.http.io.entity.EntityUtils
import java.io.IOException
import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

private fun causes(thrown: Throwable) = generateSequence(thrown) { it.cause }.toList()

/** What ends attempts and calls, and what they leave behind. */
class LimitTest :
    WaitingSpec({
        test("a retry does not wait for a rejected response that trickles in, with a pool of one") {
            FaultServer(Replies.trickling(503, 30), Fault.NONE).use { server ->
                quickly().client(most = 1).use { client ->
                    val took = measureTime { client.get(server).body shouldBe Fault.BODY }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }
        }

        test("a short rejected response is read, and its connection used again; a long one's is closed") {
            FaultServer(Replies.status(503, "x".repeat(5_000)), Fault.NONE).use { server ->
                quickly().client().use { client ->
                    client.get(server).body shouldBe Fault.BODY
                    server.connections() shouldBe 1
                }
            }
            FaultServer(Replies.status(503, "x".repeat(500_000)), Fault.NONE).use { server ->
                quickly().client().use { client ->
                    client.get(server).body shouldBe Fault.BODY
                    server.connections() shouldBe 2
                }
            }
        }

        test("a rejected response gives its connection back before the wait, with a pool of one") {
            FaultServer(Replies.endless(503), Fault.NONE).use { server ->
                quickly { fixedBackoff(5.minutes) }.client(most = 1).use { client ->
                    val waiting = HttpGet(server.uri())
                    val end = CompletableFuture.supplyAsync { runCatching { client.got(waiting) } }
                    eventually(20.seconds) { server.requests().size shouldBe 1 }
                    client.get(server).body shouldBe Fault.BODY
                    waiting.cancel()
                    end.get(20, TimeUnit.SECONDS).isFailure shouldBe true
                }
            }
        }

        test("a good response without an end may be rejected: its connection is closed") {
            FaultServer { number, _ -> if (number % 2 == 0) Replies.endless(202) else Fault.NONE }.use { server ->
                val rule = quickly {
                    maxAttempts = 2
                    onResult { if ((it as? HttpOutcome)?.status == 202) Verdict.Retry(FailureKind.TRANSIENT) else null }
                }
                rule.client(most = 1).use { client -> repeat(5) { client.get(server).body shouldBe Fault.BODY } }
                server.requests().size shouldBe 10
                eventually(30.seconds) { server.openConnections() shouldBeLessThan 2 }
            }
        }

        test("what stalls leaves no connection behind, be it a head or a failure that is read") {
            val stalls = listOf(Replies.stall(), Replies.stallInChunks(503, "busy"), Replies.stallAfter(503, "busy"))
            FaultServer { number, _ -> if (number % 2 == 0) stalls[number / 2 % 3] else Fault.NONE }.use { server ->
                val policy = quickPolicy {
                    attemptTimeout = 500.milliseconds
                    maxAttempts = 12 // A busy machine may be late with the second.
                }
                val retries = ApacheRetries.builder().policy(policy).errorBodyBytes(1_000).build()
                retries.client(most = 1).use { client ->
                    repeat(6) { client.get(server).body shouldBe Fault.BODY }
                    eventually(30.seconds) { server.openConnections() shouldBeLessThan 2 }
                }
            }
        }

        test("an attempt that takes too long is a SocketTimeoutException with the trace") {
            FaultServer(Replies.stall()).use { server ->
                val limited = quickly {
                    attemptTimeout = 700.milliseconds
                    maxAttempts = 2
                }
                limited.client().use { client ->
                    val thrown = shouldThrow<SocketTimeoutException> { client.get(server) }
                    causes(thrown).any { it is AttemptTimeoutException } shouldBe true
                    RetryTrace.of(thrown)!!.attempts shouldBe 2
                    server.requests().size shouldBe 2
                    Thread.currentThread().isInterrupted shouldBe false
                }
            }
        }

        test("the limit of the last attempt holds for the rest of a failure, whose end never passes for whole") {
            FaultServer(Replies.trickling(503, 30)).use { server ->
                val limited = quickly {
                    attemptTimeout = 500.milliseconds
                    maxAttempts = 1
                }
                limited.client().use { client ->
                    val took = measureTime {
                        val thrown = shouldThrow<SocketTimeoutException> { client.get(server) }
                        causes(thrown).first { it is AttemptTimeoutException }.message shouldBe
                            "attempt 1 took longer than 500ms"
                        RetryTrace.of(thrown)!!.attempts shouldBe 1
                    }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }
        }

        test("and for its close, which reads on to the end") {
            FaultServer(Replies.endless(404)).use { server ->
                quickly { attemptTimeout = 500.milliseconds }.client().use { client ->
                    val took = measureTime {
                        runCatching {
                            client.executeOpen(null, request("GET", server.uri()), null).use { it.code shouldBe 404 }
                        }
                    }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }
        }

        test("a good body is the caller's, under the client's own limits") {
            val parts = Array(30) { Replies.chunk("good ") }
            val slow = Replies.pausing(20, Replies.chunkedHead(200), *parts, Replies.chunk(""))
            FaultServer(slow).use { server ->
                quickly { attemptTimeout = 300.milliseconds }.client().use { client ->
                    client.get(server).body shouldBe "good ".repeat(30)
                }
            }
        }

        test("an attempt's limit ends a write that the server does not read") {
            FaultServer(Fault.UNREAD).use { server ->
                val limited = quickly {
                    attemptTimeout = 700.milliseconds
                    maxAttempts = 2
                }
                limited.client().use { client ->
                    val body = ByteArrayEntity(ByteArray(20_000_000), ContentType.APPLICATION_OCTET_STREAM)
                    val took =
                        measureTime { shouldThrow<IOException> { client.got(request("PUT", server.uri(), body)) } }
                    took.inWholeSeconds shouldBeLessThan 20
                    server.served() shouldBe 2
                }
            }
        }

        test("an attempt's limit ends the wait for a connection of the pool") {
            FaultServer(Fault.NONE).use { server ->
                val limited = quickly {
                    attemptTimeout = 700.milliseconds
                    maxAttempts = 2
                }
                limited.client(most = 1).use { client ->
                    client.executeOpen(null, request("GET", server.uri()), null).use {
                        val thrown = shouldThrow<IOException> { client.get(server) }
                        RetryTrace.of(thrown)!!.attempts shouldBe 2
                    }
                    client.get(server).body shouldBe Fault.BODY
                }
            }
        }

        test("cancel() of the request ends a wait at once") {
            val failed = CompletableFuture<Unit>()
            FaultServer { _, _ -> Fault.UNAVAILABLE.also { failed.complete(Unit) } }.use { server ->
                quickly { fixedBackoff(5.minutes) }.client().use { client ->
                    val request = HttpGet(server.uri())
                    val end = CompletableFuture.supplyAsync { runCatching { client.got(request) } }
                    failed.get(20, TimeUnit.SECONDS)
                    request.cancel()
                    val thrown = end.get(20, TimeUnit.SECONDS).exceptionOrNull()
                    (thrown is InterruptedIOException) shouldBe true
                    server.requests().size shouldBe 1
                }
            }
        }

        test("cancel() of the request ends an attempt at once, and a body that is being read") {
            val begun = CompletableFuture<Unit>()
            val stall = Replies.stall()
            FaultServer { _, _ -> stall.also { begun.complete(Unit) } }.use { server ->
                quickly().client().use { client ->
                    val request = HttpGet(server.uri())
                    val end = CompletableFuture.supplyAsync {
                        runCatching { client.got(request) }.exceptionOrNull() to Thread.interrupted()
                    }
                    begun.get(20, TimeUnit.SECONDS)
                    request.cancel()
                    val (thrown, isInterrupted) = end.get(20, TimeUnit.SECONDS)
                    (thrown is InterruptedIOException) shouldBe true
                    isInterrupted shouldBe false
                    server.requests().size shouldBe 1
                }
            }
            FaultServer(Fault.STALLED_CHUNKS).use { server ->
                quickly().client().use { client ->
                    val request = HttpGet(server.uri())
                    client.executeOpen(null, request, null).let { response ->
                        response.entity.content.read()
                        val rest = CompletableFuture.supplyAsync {
                            runCatching { EntityUtils.toString(response.entity) }
                        }
                        request.cancel()
                        rest.get(20, TimeUnit.SECONDS).isFailure shouldBe true
                    }
                }
            }
        }

        test("an interrupt ends a wait, and the flag stays") {
            val caller = CompletableFuture<Thread>()
            FaultServer { _, _ -> Fault.UNAVAILABLE }.use { server ->
                quickly {
                    fixedBackoff(5.minutes)
                    maxAttempts = 2
                }.client().use { client ->
                    val end = CompletableFuture.supplyAsync {
                        caller.complete(Thread.currentThread())
                        val thrown = runCatching { client.get(server) }.exceptionOrNull()
                        (thrown is InterruptedIOException) to Thread.interrupted()
                    }
                    eventually(20.seconds) { server.requests().size shouldBe 1 }
                    caller.get().interrupt()
                    end.get(20, TimeUnit.SECONDS) shouldBe (true to true)
                }
            }
        }
    })
