package dev.reprise.conformance

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Hedge
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.flux
import dev.reprise.test.VirtualTime
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeoutOrNull
import reactor.core.publisher.Flux
import java.io.IOException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private val RESET = { IOException("reset") }

/** What strangers reported of other libraries, where no other test holds it: workshop/reports has the list. */
class ReportsTest :
    FunSpec({
        test("adaptive mode pays back what a retry has cost, so a drained quota fills again") {
            val time = VirtualTime()
            val retrier = time.retrier(
                RetryPolicy.ADAPTIVE_STEADY.with { quota = TokenBucketSettings { capacity(28) } },
            )
            repeat(2) { runCatching { time.run { retrier<Unit> { throw RESET() } } } }
            val drained = retrier.quota!!.available
            repeat(40) { time.run { retrier { } } }
            withClue("drained to $drained") { retrier.quota!!.available shouldBe 28 }
        }

        test("a poll for a result that is interrupted ends with a cancellation, and the thread stays interrupted") {
            val retrier = JavaRetrier.of(
                RetryPolicy {
                    backoff = Backoff.fixed(1.hours)
                    onResult { if (it == emptyList<Any>()) Verdict.TRANSIENT else null }
                },
            )
            shouldThrow<CancellationException> {
                retrier.call<List<Any>, Exception> {
                    Thread.currentThread().interrupt()
                    emptyList()
                }
            }
            Thread.interrupted() shouldBe true
        }

        test("a predicate that throws an Error ends the future with it") {
            val retrier = JavaRetrier.of(RetryPolicy { onFailure { throw NoClassDefFoundError("absent") } })
            val end = retrier.callAsync<Any> { CompletableFuture.failedFuture(RESET()) }
            shouldThrow<ExecutionException> { end.get() }.cause!!::class shouldBe NoClassDefFoundError::class
        }

        test("each subscription of one Flux has attempts of its own, also after one that has had elements") {
            val retrier = Retrier(RetryPolicy { noBackoff() })
            var subscriptions = 0
            val source = retrier.flux<Int> {
                subscriptions++
                val broken = Flux.error<Int>(RESET())
                if (subscriptions == 1) Flux.just(1).concatWith(broken) else broken
            }
            runCatching { source.collectList().block() }
            subscriptions shouldBe 1
            runCatching { source.collectList().block() }
            subscriptions shouldBe 4
        }

        for (value in listOf("-3", "+3", "-1", "", "soon", "1e3", "0x10", "NaN", "1m0s", "2026")) {
            test("a Retry-After of '$value' is no date of another century") {
                val answers = listOf(Step(Response(503, headers = mapOf("retry-after" to value))), Step(Response(200)))
                val policy = RetryPolicy.HTTP.with { backoff = Backoff.fixed(50.milliseconds) }
                val trace = SuspendFace.play(Scenario(value, policy, listOf(ScriptedCall(answers))))
                val isSeconds = value == "2026"
                trace.ends.single().waitsNanos shouldBe if (isSeconds) emptyList() else listOf(50 * MILLI)
            }
        }

        test("a caller's own limit is neither lengthened nor retried by a call whose copies are under way") {
            val time = VirtualTime()
            val retrier = time.retrier(RetryPolicy { hedge = Hedge.after(10.milliseconds, maxExtraLoad = 1.0) })
            var begun = 0
            time.run {
                withTimeoutOrNull(1.seconds) {
                    retrier {
                        begun++
                        delay(1.hours)
                    }
                } shouldBe null
            }
            begun shouldBe 2
            time.nanoTime() shouldBe 1_000 * MILLI
        }

        test("work that throws before it returns a stage is an attempt that failed") {
            val time = VirtualTime()
            var attempts = 0
            val end = time.javaRetrier().callAsync<String> {
                if (++attempts < 3) throw RESET()
                CompletableFuture.completedFuture("done")
            }
            time.join(end) shouldBe "done"
            attempts shouldBe 3
        }

        for (face in Face.EVERY) {
            test("$face: the attempts of a call that never waits do not stand on each other's stack") {
                val policy = RetryPolicy {
                    maxAttempts = 3_000
                    noBackoff()
                    quota = null
                    trace = false
                }
                val down = ScriptedCall(listOf(Step { RESET() }), CallOptions("work").with { repeat = Repeat.SAFE })
                lateinit var end: Ended
                val thread = Thread(null, {
                    val time = VirtualTime()
                    end = face.end(down, time.retrier(policy), time)
                }, "a small stack", 256 * 1_024)
                thread.start()
                thread.join()
                down.begun shouldBe 3_000
                end.thrown!!.message shouldBe "reset"
            }
        }

        test("what a policy does not read it does not read after a retry either") {
            val busy = Step(Response(503, headers = mapOf("retry-after" to "5")))
            val policy = RetryPolicy { backoff = Backoff.fixed(50.milliseconds) }
            val calls = listOf(ScriptedCall(listOf(busy, busy, Step(Response(200)))))
            val trace = SuspendFace.play(Scenario("retry-after", policy, calls))
            trace.ends.single().waitsNanos shouldBe listOf(50 * MILLI, 50 * MILLI)
        }
    })
