package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.faults.Seen
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.property.Exhaustive
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.enum
import kotlinx.coroutines.runBlocking
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

// The server closes after each response: a connection that stays open is a loser's.
private val there = Replies.statusAndClose(200, "there")
private val busy = Replies.statusAndClose(503, "busy")
private val throttle = Replies.statusAndClose(429, "")
private val stall = Replies.stall()

/** Long after a copy would have been sent. */
private val slow = Reply {
    Thread.sleep(60)
    there.to(it)
}

/** The attempt number that a request carries; 1 if it carries none. */
private val Seen.attempt get() = headers()["amz-sdk-request"]?.removePrefix("attempt=")?.toInt() ?: 1

/** [this] once [latch] is open. */
private fun Reply.after(latch: CountDownLatch) = Reply {
    latch.await(20, TimeUnit.SECONDS)
    to(it)
}

/** [this], and [latch] counts that it was asked for. */
private fun Reply.counting(latch: CountDownLatch) = Reply {
    latch.countDown()
    to(it)
}

/** Law: on every HTTP face a slow first attempt that may be repeated gets one copy, and nothing of the loser is left. */
class HedgeHttpLawTest :
    FunSpec({
        val told = CopyOnWriteArrayList<RetryEvent>()

        fun policy(changes: RetryPolicyBuilder.() -> Unit = {}) = RetryPolicy.HTTP.with {
            hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0)
            backoff = Backoff.IMMEDIATE
            changes()
        }

        /** Has each face talk to a server of [replies] in [calls], which say what the numbers of all requests must be. */
        suspend fun onEachFace(
            policy: RetryPolicy = policy(),
            replies: () -> (Int, Seen) -> Reply,
            faces: (HedgingFace) -> Boolean = { true },
            calls: suspend (HedgingClient, FaultServer) -> List<Int>,
        ) = checkAll(Exhaustive.enum<HedgingFace>()) { face ->
            if (!faces(face)) return@checkAll
            told.clear()
            val script = replies()
            FaultServer { number, request -> script(number, request) }.use { server ->
                withClue("$face") {
                    face.open(policy, RetryListener { told += it }).use { client ->
                        val numbers = calls(client, server)
                        server.requests().map { it.attempt } shouldContainExactlyInAnyOrder numbers
                        eventually(30.seconds) { server.openConnections() shouldBe 0 }
                    }
                }
            }
        }

        /** The replies to the first request, and to the copy once that was read: both have arrived when a call ends. */
        fun byAttempt(first: Reply, copy: Reply): (Int, Seen) -> Reply {
            val firstSeen = CountDownLatch(1)
            return { _, request -> if (request.attempt == 1) first.counting(firstSeen) else copy.after(firstSeen) }
        }

        test("a slow first request is overtaken by its copy, which carries the next number; its connection is closed") {
            onEachFace(replies = { byAttempt(stall, there) }) { client, server ->
                client.ask(Ask(server.uri())).await() shouldBe "200 there"
                server.awaitHangUp() shouldBe true
                told.map { it::class.simpleName }.filter { "Hedge" in it!! } shouldBe listOf("HedgeStarted", "HedgeWon")
                (told.last() as RetryEvent.CallSucceeded).attempts shouldBe 1
                listOf(1, 2)
            }
        }

        test("a copy that is slower than the first request loses, and its connection is closed") {
            onEachFace(replies = {
                val copySeen = CountDownLatch(1)
                byAttempt(there.after(copySeen), stall.counting(copySeen))
            }) { client, server ->
                client.ask(Ask(server.uri())).await() shouldBe "200 there"
                server.awaitHangUp() shouldBe true
                listOf(1, 2)
            }
        }

        test("a body that can be sent again is sent by both") {
            onEachFace(replies = { byAttempt(stall, there) }) { client, server ->
                client.ask(Ask(server.uri(), "PUT", AskBody.TEXT)).await() shouldBe "200 there"
                server.requests().map { it.body() } shouldBe listOf("text", "text")
                listOf(1, 2)
            }
        }

        test("a response whose body breaks off is none: the copy's counts") {
            onEachFace(
                replies = {
                    val copySeen = CountDownLatch(1)
                    byAttempt(Replies.cutAfter(200, "half").after(copySeen), there.counting(copySeen))
                },
                faces = { it.readsStreams },
            ) { client, server ->
                client.ask(Ask(server.uri())).await() shouldBe "200 there"
                listOf(1, 2)
            }
        }

        test("what must not be sent twice gets no copy: a POST, a body that can be sent once") {
            val asks = listOf("POST" to AskBody.TEXT, "PUT" to AskBody.ONE_SHOT)
            onEachFace(replies = { { _, _ -> slow } }) { client, server ->
                for ((method, sent) in asks) client.ask(Ask(server.uri(), method, sent)).await() shouldBe "200 there"
                asks.map { 1 }
            }
        }

        test("a response that is read as it arrives gets no copy") {
            onEachFace(replies = { { _, _ -> slow } }, faces = { it.readsStreams }) { client, server ->
                client.ask(Ask(server.uri(), isStreamed = true)).await() shouldBe "200 there"
                listOf(1)
            }
        }

        test("if both fail and may be retried there is one outcome, and the next attempt") {
            onEachFace(replies = {
                val bothSeen = CountDownLatch(2);
                { number, _ -> if (number < 2) busy.withAll(bothSeen) else there }
            }) { client, server ->
                client.ask(Ask(server.uri())).await() shouldBe "200 there"
                (told.last() as RetryEvent.CallSucceeded).attempts shouldBe 2
                told.count { it is RetryEvent.AttemptFailed } shouldBe 1
                listOf(1, 2, 2)
            }
        }

        test("if both fail in the last attempt the caller gets one of the responses, whole") {
            onEachFace(
                policy = policy { maxAttempts = 1 },
                replies = {
                    val bothSeen = CountDownLatch(2);
                    { _, _ -> busy.withAll(bothSeen) }
                },
            ) { client, server ->
                client.ask(Ask(server.uri())).await() shouldBe "503 busy"
                listOf(1, 2)
            }
        }

        test("a caller who cancels ends both") {
            onEachFace(replies = { byAttempt(stall, stall) }) { client, server ->
                val asked = client.ask(Ask(server.uri()))
                eventually(30.seconds) { server.requests().size shouldBe 2 }
                asked.cancel()
                runCatching { asked.await() }.isFailure shouldBe true
                listOf(1, 2)
            }
        }

        test("the attempt timeout ends both") {
            onEachFace(
                policy = policy {
                    maxAttempts = 1
                    attemptTimeout = 700.milliseconds
                },
                replies = { byAttempt(stall, stall) },
            ) { client, server ->
                shouldThrow<ExecutionException> { client.ask(Ask(server.uri())).await() }
                server.requests().map { it.attempt }
            }
        }

        test("the attempt timeout ends a copy whose first request has failed") {
            onEachFace(
                policy = policy {
                    maxAttempts = 1
                    attemptTimeout = 700.milliseconds
                },
                replies = {
                    val copySeen = CountDownLatch(1)
                    byAttempt(busy.after(copySeen), stall.counting(copySeen))
                },
            ) { client, server ->
                shouldThrow<ExecutionException> { client.ask(Ask(server.uri())).await() }
                server.requests().map { it.attempt }
            }
        }

        test("a throttle stops copies") {
            fun refusals() = told.filterIsInstance<RetryEvent.HedgeRefused>().map { it.reason }
            val onceRefused = Reply {
                runBlocking { eventually(20.seconds) { refusals() shouldContain HedgeRefusal.SERVER_BUSY } }
                there.to(it)
            }
            onEachFace(
                policy = policy { maxAttempts = 1 },
                replies = { { _, request -> if (request.path() == "/busy") throttle else onceRefused } },
            ) { client, server ->
                client.ask(Ask(server.uri().resolve("/busy"))).await() shouldBe "429 "
                val before = server.requests().map { it.attempt }
                client.ask(Ask(server.uri())).await() shouldBe "200 there"
                refusals() shouldContain HedgeRefusal.SERVER_BUSY
                before + 1
            }
        }
    })

/** [this] once all that [latch] waits for are there, this one among them. */
private fun Reply.withAll(latch: CountDownLatch) = Reply {
    latch.countDown()
    latch.await(20, TimeUnit.SECONDS)
    to(it)
}
