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
import kotlinx.coroutines.test.advanceUntilIdle
import kotlin.time.Duration.Companion.milliseconds

private class Numbered(val number: Int) : Exception()

/** As often as said, every exception, as kotlin-retry's policies in its own tests. */
private fun every(attempts: Int, backoff: Backoff = Backoff.IMMEDIATE) = RetryPolicy.ANY_EXCEPTION.with {
    maxAttempts = attempts
    this.backoff = backoff
}

/** What kotlin-retry's own tests hold it to, and how `retry { }` behaves there. */
class KotlinRetryTest :
    FunSpec({
        virtual("a cancellation that the block throws ends the call, whichever attempt it is") {
            var attempts = 0

            shouldThrow<CancellationException> {
                retry<Unit>(every(5)) { if (++attempts == 2) throw CancellationException("enough") else error("no") }
            }

            attempts shouldBe 2
        }

        virtual("a job that cancels itself in an attempt makes no further one") {
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

        virtual("an attempt that awaits a child which was cancelled ends the call, and the child beside it goes on") {
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
    })
