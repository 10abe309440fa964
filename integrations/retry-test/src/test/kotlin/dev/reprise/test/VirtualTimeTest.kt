package dev.reprise.test

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.java.ThrowingSupplier
import dev.reprise.test.ScriptedResponse.Companion.status
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.asCompletableFuture
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class VirtualTimeTest :
    FunSpec({
        val policy = RetryPolicy { backoff = Backoff.fixed(7.nanoseconds) }

        test("waits are exact to the ns on every face") {
            for (face in 0..2) {
                val time = VirtualTime()
                val recorder = Recorder()
                var calls = 0
                val work = { if (++calls < 3) throw ConnectException("refused") else "done" }
                when (face) {
                    0 -> time.run { time.retrier(policy, recorder).invoke { work() } }

                    1 -> time.javaRetrier(policy, recorder).call(ThrowingSupplier<String, Exception> { work() })

                    else -> time.join(
                        time.javaRetrier(policy, recorder).callAsync { CompletableFuture.completedFuture(work()) },
                    )
                }
                time.nanoTime() shouldBe 14
                time.pending shouldBe 0
                recorder.call.assertEndedOnce().assertAttempts(3).assertDelays(listOf(7.nanoseconds, 7.nanoseconds))
                    .assertReason(StopReason.SUCCESS).assertNetTokens(14)
            }
        }

        test("300 runs of futures in adaptive mode have one history") {
            val adaptive = RetryPolicy {
                backoff = Backoff.fixed(7.nanoseconds)
                sendRate = SendRateSettings { minFillRate(0.5) }
                onNoPermit = NoPermit.waitAtMost(1.hours)
                quota = null
                onFailure { Verdict.THROTTLING }
            }
            val histories = List(300) {
                val time = VirtualTime()
                val history = mutableListOf<String>()
                val retrier = time.javaRetrier(adaptive, { history += "${time.nanoTime()} ${it::class.simpleName}" })
                val calls = List(5) { number ->
                    var attempts = 0
                    retrier.callAsync {
                        history += "${time.nanoTime()} call $number on ${Thread.currentThread().name}"
                        if (++attempts < 3) throw ConnectException("refused")
                        CompletableFuture.completedFuture(number)
                    }
                }
                time.after(3_600.seconds) { history += "an hour" }
                calls.forEach { time.join(it) }
                time.runToEnd()
                history.joinToString("\n")
            }
            histories.toSet().size shouldBe 1
        }

        test("an attempt timeout that is no whole number of ms is exact too") {
            val time = VirtualTime()
            val limited = RetryPolicy {
                maxAttempts = 1
                attemptTimeout = 1_500_001.nanoseconds
            }
            shouldThrow<AttemptTimeoutException> { time.run { time.retrier(limited).invoke { delay(1.hours) } } }
            time.nanoTime() shouldBe 1_500_001
        }

        test("what happens at the same time happens in the order of its scheduling") {
            fun history(): List<String> {
                val time = VirtualTime()
                val seen = mutableListOf<String>()
                time.run {
                    repeat(5) { number ->
                        launch {
                            delay(10.milliseconds)
                            seen += "$number at ${time.nanoTime()}"
                        }
                    }
                }
                return seen
            }
            history() shouldBe List(5) { "$it at 10000000" }
            history() shouldBe history()
        }

        test("an interrupt ends a blocking wait at its time") {
            val time = VirtualTime()
            val main = Thread.currentThread()
            time.after(5.nanoseconds) { main.interrupt() }
            shouldThrow<InterruptedException> { time.await(10.nanoseconds) }
            time.nanoTime() shouldBe 5
            Thread.interrupted() shouldBe false
        }

        test("a call that waits for what never happens fails the test") {
            shouldThrow<AssertionError> { VirtualTime().run { CompletableDeferred<Unit>().await() } }
        }

        test("assertions of the recorder fail with what was seen") {
            val time = VirtualTime()
            val recorder = Recorder()
            time.run { time.retrier(policy, recorder).invoke { "done" } }
            recorder.call.assertAttempts(1).assertNetTokens(0)
            shouldThrow<AssertionError> { recorder.call.assertAttempts(2) }
            shouldThrow<AssertionError> { recorder.call.assertDelays(listOf(1.nanoseconds)) }
            shouldThrow<AssertionError> { recorder.call.assertReason(StopReason.QUOTA) }
            shouldThrow<AssertionError> { recorder.call.assertNetTokens(1) }
        }

        test("a hundred thousand calls, each in its own time") {
            val time = VirtualTime()
            val retrier = time.retrier(RetryPolicy { maxAttempts = 2 })
            var attempts = 0
            var failed = 0
            val start = System.nanoTime()
            time.run {
                repeat(100_000) { number ->
                    val result = runCatching {
                        retrier {
                            attempts++
                            if (number % 10 == 0) throw ConnectException("refused")
                        }
                    }
                    if (result.isFailure) failed++
                }
            }
            // A figure for docs/testing.md, and no assertion: how fast this machine is now is not what is tested.
            println("100,000 calls in virtual time: ${(System.nanoTime() - start) / 1_000_000} ms")
            failed shouldBe 10_000
            // Each failure costs the quota 14 of its 500 tokens, and each success brings back one.
            attempts shouldBe 100_000 + retriesOfTenth(100_000)
            time.nanoTime() shouldBe (attempts - 100_000) * 50_000_000L
        }

        test("a time in the past is now") {
            val time = VirtualTime(5)
            time.advance((-3).nanoseconds)
            time.await((-3).nanoseconds)
            time.nanoTime() shouldBe 5
            time.happened shouldBe 0
        }

        test("in runTest a wait fails at once and names what to write, and a task that runs in this time may wait") {
            runTest {
                val time = VirtualTime()
                var attempts = 0
                val thrown = shouldThrow<IllegalStateException> {
                    time.retrier().invoke {
                        attempts++
                        throw ConnectException("refused")
                    }
                }
                thrown.message shouldContain "time.run { }"
                attempts shouldBe 1
                time.run {
                    time.retrier().invoke { if (it.number < 3) throw ConnectException("refused") else "done" }
                } shouldBe "done"
                val job = launch(time.dispatcher) { time.suspendFor(1.hours) }
                yield()
                time.runToEnd()
                job.isCompleted shouldBe true
            }
        }

        test("a copy begins exactly when its hedge says") {
            val time = VirtualTime()
            var at = 0L
            val retry = time.retrier(RetryPolicy { hedge = Hedge.after(2_400_001.nanoseconds, maxExtraLoad = 1.0) })
            time.run { retry { if (it.isCopy) at = time.nanoTime() else time.suspendFor(1.hours) } }
            at shouldBe 2_400_001
        }

        test("in runBlocking, or on a pool, a wait fails at once too while nobody moves this time on") {
            val time = VirtualTime()
            for (elsewhere in listOf(EmptyCoroutineContext, Dispatchers.Default)) {
                shouldThrow<IllegalStateException> {
                    runBlocking(elsewhere) {
                        withTimeout(30.seconds) { time.retrier().invoke { throw ConnectException("refused") } }
                    }
                }.message shouldContain "time.run { }"
            }
            time.run { withContext(Dispatchers.Default) { time.suspendFor(1.hours) } }
            time.nanoTime() shouldBe 1.hours.inWholeNanoseconds
            time.pending shouldBe 0
        }

        test("a scripted engine responds in runTest, and where it has to wait it fails at once") {
            val time = VirtualTime()
            val client = HttpClient(scriptedEngine(time, status(503), status(200, "user").after(1.seconds)))
            runTest {
                client.get("https://users.example").status.value shouldBe 503
                shouldThrow<IllegalStateException> { client.get("https://users.example") }.message shouldContain
                    "time.run { }"
            }
            time.run { client.get("https://users.example").bodyAsText() } shouldBe "user"
            time.nanoTime() shouldBe 1.seconds.inWholeNanoseconds
        }

        test("futures, and coroutines on the dispatcher, may begin before the time is moved on by hand") {
            val time = VirtualTime()
            val scope = CoroutineScope(time.dispatcher)
            val (attempts, more) = AtomicInteger() to AtomicInteger()
            fun work(attempts: AtomicInteger) =
                if (attempts.incrementAndGet() < 3) throw ConnectException("refused") else "done"
            val retrier = time.retrier()
            val ends = listOf(
                scope.async { retrier { work(attempts) } }.asCompletableFuture(),
                time.javaRetrier().callAsync { CompletableFuture.completedFuture(work(more)) },
            )
            time.advance(149.milliseconds)
            ends.map { it.isDone } shouldBe listOf(false, false)
            time.advance(1.milliseconds)
            ends.map { it.get() } shouldBe listOf("done", "done")
        }

        test("a timeout that was announced is exact") {
            val time = VirtualTime()
            time.expectTimeout(1_500_001.nanoseconds)
            time.run { withTimeoutOrNull(1_500_001.nanoseconds) { delay(1.hours) } } shouldBe null
            time.nanoTime() shouldBe 1_500_001
        }
    })

/** How many of the calls whose every tenth one fails get a retry: the bucket is played through. */
private fun retriesOfTenth(calls: Int): Int {
    var tokens = 500
    var retries = 0
    for (number in 0 until calls) {
        if (number % 10 != 0) {
            tokens = minOf(500, tokens + 1)
        } else if (tokens >= 14) {
            tokens -= 14
            retries++
        }
    }
    return retries
}
