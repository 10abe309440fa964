@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private class Recorder : RetryListener {
    val events = mutableListOf<RetryEvent>()

    override fun onEvent(event: RetryEvent) {
        events += event
    }
}

class CancellationTest :
    FunSpec({
        test(
            "a call that is cancelled at any moment stops at that moment, and keeps no quota for a retry that never ran",
        ) {
            // Attempts run at 0-20, 70-90 and 190-210 ms, waits between them: every millisecond is tried.
            for (moment in 1L..209L) {
                runTest {
                    val retrier = retrier()
                    val recorder = Recorder()
                    val begun = mutableListOf<Long>()
                    val job = launch {
                        retrier.with(recorder).invoke<Unit> {
                            begun += currentTime
                            delay(20.milliseconds)
                            throw IOException()
                        }
                    }
                    delay(moment.milliseconds)
                    job.cancelAndJoin()
                    currentTime shouldBe moment
                    recorder.events.last()::class shouldBe RetryEvent.CallCancelled::class
                    retrier.quota.shouldNotBeNull().available shouldBe 500 - 14 * (begun.size - 1).coerceAtLeast(0)
                    testScheduler.advanceUntilIdle()
                    begun.filter { it > moment }.shouldBeEmpty()
                }
            }
        }

        test("a caller's own withTimeout is a cancellation, in the attempt and in the wait") {
            for (limit in listOf(10, 40, 120)) {
                runTest {
                    val retrier = retrier()
                    shouldThrow<TimeoutCancellationException> {
                        withTimeout(limit.milliseconds) {
                            retrier.invoke<Unit> {
                                delay(20.milliseconds)
                                throw IOException()
                            }
                        }
                    }
                    currentTime shouldBe limit
                }
            }
        }

        virtual("a withTimeout inside the block is a failure of the attempt, and is retried") {
            val answer = retrier().invoke {
                if (it.number == 1) withTimeout(10.milliseconds) { awaitCancellation() }
                it.number
            }
            answer shouldBe 2
        }

        virtual("the policy's attempt timeout is a transient failure") {
            val retrier = retrier(RetryPolicy { attemptTimeout = 1.seconds })
            retrier { if (it.number < 3) awaitCancellation() else "third time" } shouldBe "third time"
            currentTime shouldBe 1_000 + 50 + 1_000 + 100
            val thrown = shouldThrow<AttemptTimeoutException> { retrier.invoke<Unit> { awaitCancellation() } }
            thrown.attempt shouldBe 3
            thrown.timeout shouldBe 1.seconds
        }

        virtual("an attempt's timeout shrinks to what the deadline leaves, and no wait crosses it") {
            val policy = RetryPolicy {
                deadline = 1.seconds
                attemptTimeout = 600.milliseconds
                maxAttempts = 10
            }
            val thrown = shouldThrow<AttemptTimeoutException> { retrier(policy).invoke<Unit> { awaitCancellation() } }
            currentTime shouldBe 1_000
            thrown.timeout shouldBe 350.milliseconds
            RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.DEADLINE
        }

        virtual("the caller's timeout wins over the policy's where both run out together") {
            val retrier = retrier(RetryPolicy { attemptTimeout = 100.milliseconds })
            shouldThrow<TimeoutCancellationException> {
                withTimeout(100.milliseconds) { retrier.invoke<Unit> { awaitCancellation() } }
            }
            currentTime shouldBe 100
        }

        virtual("a block that ignores cancellation and fails is not repeated after it") {
            var calls = 0
            val job = launch {
                retrier().invoke<Unit> {
                    calls++
                    withContext(NonCancellable) { delay(100.milliseconds) }
                    throw IOException("socket closed by the cancellation")
                }
            }
            delay(10.milliseconds)
            job.cancelAndJoin()
            calls shouldBe 1
            currentTime shouldBe 100
        }

        test(
            "what a block or a flow throws in answer to its cancellation is no failure, and costs nothing, on any attempt",
        ) {
            for (answer in listOf(IOException("closed"), NoSuchElementException(), Error("closed"))) {
                for (attempts in 1..3) {
                    for (wait in listOf(Backoff.STANDARD, Backoff.IMMEDIATE)) {
                        for (isFlow in listOf(false, true)) {
                            runTest {
                                val recorder = Recorder()
                                val policy = RetryPolicy { maxAttempts(attempts).backoff = wait }
                                val retrier = retrier(policy).with(recorder)
                                var thrown: Throwable? = null
                                val job = launch {
                                    val work = suspend {
                                        currentCoroutineContext().cancel()
                                        throw answer
                                    }
                                    try {
                                        if (isFlow) {
                                            flow<Unit> { work() }.retry(retrier).collect()
                                        } else {
                                            retrier.invoke<Unit> { work() }
                                        }
                                    } catch (e: Throwable) {
                                        thrown = e
                                    }
                                }
                                job.join()
                                thrown.shouldBeInstanceOf<CancellationException>()
                                retrier.quota.shouldNotBeNull().available shouldBe 500
                                recorder.events.map { it::class } shouldBe listOf(
                                    RetryEvent.CallStarted::class,
                                    RetryEvent.AttemptStarted::class,
                                    RetryEvent.CallCancelled::class,
                                )
                            }
                        }
                    }
                }
            }
        }

        virtual("a caller who is cancelled begins no call, and no collection") {
            val recorder = Recorder()
            val retrier = retrier().with(recorder)
            for (call in listOf<suspend () -> Unit>(
                { retrier { error("begun") } },
                { retrier.outcome { error("begun") } },
                { flow<Unit> { error("begun") }.retry(retrier).collect() },
            )) {
                val job = launch {
                    currentCoroutineContext().cancel()
                    call()
                }
                job.join()
                job.isCancelled shouldBe true
            }
            recorder.events.shouldBeEmpty()
        }

        test(
            "what a block throws in answer to its limit is kept with the timeout, unless it is the cancellation itself",
        ) {
            for (answer in listOf(IOException("closed"), null)) {
                runTest {
                    val limited = retrier(
                        RetryPolicy {
                            attemptTimeout = 100.milliseconds
                            maxAttempts = 1
                        },
                    )
                    val timeout = shouldThrow<AttemptTimeoutException> {
                        limited.invoke<Unit> {
                            try {
                                awaitCancellation()
                            } catch (e: CancellationException) {
                                throw answer ?: e
                            }
                        }
                    }
                    timeout.suppressed.filter { it !is RetryTrace } shouldBe listOfNotNull(answer)
                }
            }
        }
    })
