package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.NoPermit
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.coroutines.shell.acquireBlocking
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration.Companion.seconds

/** Judges results by their name, and counts how often it is asked. */
private class Asked : Classifier {
    val asked = mutableListOf<Any?>()

    override val resultScope: ResultScope get() = ResultScope.ANY

    override fun classifyFailure(failure: Throwable): Verdict {
        asked += failure.message
        return Verdict.TRANSIENT
    }

    override fun classifyResult(result: Any?): Verdict {
        asked += result
        return if (result == "good") Verdict.Accept else Verdict.TRANSIENT
    }
}

private val silent = RetryListener { }

class ForeignCodeTest :
    FunSpec({
        test("a classifier is asked once about each outcome, whether somebody listens or not") {
            for (isWatched in listOf(false, true)) {
                runTest {
                    val classifier = Asked()
                    val plain = retrier(RetryPolicy { this.classifier = classifier })
                    val retrier = if (isWatched) plain.with(silent) else plain
                    retrier {
                        when (it.number) {
                            1 -> "bad"
                            2 -> throw IOException("reset")
                            else -> "good"
                        }
                    } shouldBe "good"
                    classifier.asked shouldContainExactly listOf("bad", "reset", "good")
                }
            }
        }

        virtual("an attempt that is kept keeps its number and what it knew") {
            val kept = mutableListOf<Attempt>()
            runCatching {
                retrier().invoke<Unit> {
                    kept += it
                    throw IOException("no ${it.number}")
                }
            }
            kept.map { "${it.number} ${it.isLast} ${it.lastFailure?.message}" } shouldContainExactly
                listOf("1 false null", "2 false no 1", "3 true no 2")
        }

        test("an InterruptedException that the block throws ends the call, and leaves no flag on the thread") {
            for (isWatched in listOf(false, true)) {
                runTest {
                    var calls = 0
                    val plain = retrier(RetryPolicy { retryOn<Exception>() })
                    val retrier = if (isWatched) plain.with(silent) else plain
                    val own = InterruptedException("stop")
                    shouldThrow<InterruptedException> {
                        retrier.invoke<Unit> {
                            calls++
                            throw own
                        }
                    } shouldBeSameInstanceAs own
                    calls shouldBe 1
                    Thread.interrupted() shouldBe false
                    retrier.quota.shouldNotBeNull().available shouldBe 500
                }
            }
        }

        test("one exception that a classifier or a backoff always throws keeps a few of the failures that it met") {
            val constant = IllegalStateException("broken")
            val policies = listOf(
                RetryPolicy { onFailure { throw constant } },
                RetryPolicy { backoff = Backoff.custom { _ -> throw constant } },
            )
            runTest {
                for (policy in policies) {
                    val retrier = retrier(policy)
                    repeat(1_000) {
                        val thrown = shouldThrowAny { retrier.invoke<Unit> { throw IOException("failure $it") } }
                        thrown shouldBeSameInstanceAs constant
                    }
                }
            }
            constant.suppressed.size shouldBeLessThanOrEqual 8
        }

        virtual("a clock that is set back in mid-call is no negative time: the call does not say how long it took") {
            val now = AtomicLong(10_000_000_000)
            val retrier = Retrier.builder(RetryPolicy { deadline = 100.seconds })
                .clock { now.getAndAdd(-1_000_000_000) }
                .build()
            val failure = shouldThrow<IOException> { retrier.invoke<Unit> { throw IOException("down") } }
            val trace = RetryTrace.of(failure).shouldNotBeNull()
            trace.reason shouldBe StopReason.ATTEMPTS
            trace.elapsed shouldBe null
        }

        test("a retrier with another policy leaves the send rate of the one it came from as it was") {
            val exact = RetryPolicy {
                sendRate = SendRateSettings.EXACT
                onNoPermit = NoPermit.Fail
            }
            val parent = Retrier(exact)
            val child = parent.with(exact.with { sendRate = SendRateSettings.STEADY })
            parent.sendRate.shouldNotBeNull().settings shouldBe SendRateSettings.EXACT
            child.sendRate.shouldNotBeNull().settings shouldBe SendRateSettings.STEADY
            parent.with(exact.with { maxAttempts = 7 }).sendRate shouldBeSameInstanceAs parent.sendRate
        }

        test("all who share a send rate stand in one line, and it has no more watchers for more of them") {
            val rate = lowRate()
            val line = SendRateLine.of(rate, System::nanoTime, Waiter.DELAY)
            val policy = RetryPolicy { sendRate = rate.settings }
            repeat(100) { Retrier.builder(policy).sendRate(rate).build().setup.line shouldBeSameInstanceAs line }
        }

        test("blocking calls on the thread of an event loop wait one after the other, and not inside one another") {
            val rate = lowRate()
            val line = SendRateLine.of(rate, System::nanoTime, Waiter.DELAY)
            val served = mutableListOf<Int>()
            val depths = mutableSetOf<Int>()
            runBlocking {
                repeat(5) { number ->
                    launch {
                        line.acquireBlocking(NoPermit.Wait, Long.MAX_VALUE)
                        served += number
                        depths += Thread.currentThread().stackTrace.size
                    }
                }
            }
            served shouldContainExactly listOf(0, 1, 2, 3, 4)
            depths.size shouldBe 1
        }
    })

/** A limiter that is on, with an empty bucket and a permit every 20 ms. */
private fun lowRate() = SendRate(
    SendRateSettings.EXACT.toBuilder().minFillRate(50.0).minCapacity(1.0).build(),
    System.nanoTime(),
).apply { record(throttled = true, sentAt = System.nanoTime(), now = System.nanoTime()) }
