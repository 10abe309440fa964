@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.advanceTimeBy
import kotlinx.coroutines.test.advanceUntilIdle
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private class Numbered(val number: Int) : Exception()

/** As often as said, every exception, as kotlin-retry's policies in its own tests. */
private fun every(attempts: Int, backoff: Backoff = Backoff.IMMEDIATE) = RetryPolicy.ANY_EXCEPTION.with {
    maxAttempts = attempts
    this.backoff = backoff
}

/** What kotlin-retry's own tests hold it to, and how `retry { }` behaves there. */
class KotlinRetryTest :
    FunSpec({
        test("the last attempt's own exception is thrown when all are used up") {
            runTest {
                var attempts = 0

                shouldThrow<Numbered> { retry<Unit>(every(10)) { throw Numbered(++attempts) } }.number shouldBe 10
            }
        }

        test("a call ends with the first success, also that of the last attempt allowed") {
            runTest {
                var attempts = 0

                retry(every(5)) { if (++attempts < 5) throw Numbered(attempts) else "done" } shouldBe "done"
            }
        }

        test("a cancellation that the block throws ends the call, whichever attempt it is") {
            runTest {
                var attempts = 0

                shouldThrow<CancellationException> {
                    retry<Unit>(every(5)) {
                        if (++attempts ==
                            2
                        ) {
                            throw CancellationException("enough")
                        } else {
                            error("no")
                        }
                    }
                }

                attempts shouldBe 2
            }
        }

        test("each wait is a delay of the caller's dispatcher") {
            runTest {
                val begun = mutableListOf<Long>()

                retry(every(5, Backoff.custom { (it.retryIndex + 1).seconds })) {
                    begun += currentTime
                    if (begun.size < 5) error("no")
                }

                begun shouldBe listOf(0L, 1_000L, 3_000L, 6_000L, 10_000L)
            }
        }

        test("a job that is cancelled in a wait makes no further attempt") {
            runTest {
                var attempts = 0
                val job = backgroundScope.launch {
                    retry<Unit>(every(Int.MAX_VALUE, Backoff.fixed(100.milliseconds))) { throw Numbered(++attempts) }
                }

                advanceTimeBy(350)
                runCurrent()
                job.cancel()
                advanceTimeBy(2_000)

                job.isCancelled shouldBe true
                attempts shouldBe 4
            }
        }

        test("a job that cancels itself in an attempt makes no further one") {
            runTest {
                var attempts = 0
                val job = launch {
                    val self = this
                    retry(every(Int.MAX_VALUE, Backoff.fixed(20.milliseconds))) {
                        if (++attempts == 15) self.cancel() else throw Numbered(attempts)
                    }
                }

                advanceUntilIdle()

                job.isCancelled shouldBe true
                attempts shouldBe 15
            }
        }

        test("an attempt that awaits a child which was cancelled ends the call, and the child beside it goes on") {
            runTest {
                var attempts = 0
                var other: Deferred<Int>? = null

                val job = launch {
                    coroutineScope {
                        retry<Unit>(every(Int.MAX_VALUE, Backoff.fixed(20.milliseconds))) {
                            attempts++
                            other = async { delay(100).let { attempts } }
                            val child = async { delay(50).also { if (attempts == 15) cancel() } }
                            child.await()
                            throw Numbered(attempts)
                        }
                    }
                }
                advanceUntilIdle()

                job.isCancelled shouldBe true
                attempts shouldBe 15
                other!!.isCompleted shouldBe true
            }
        }
    })
