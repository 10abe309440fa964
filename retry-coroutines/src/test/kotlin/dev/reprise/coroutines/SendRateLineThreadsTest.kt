package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.coroutines.shell.acquireAsync
import dev.reprise.coroutines.shell.acquireBlocking
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.LongAdder
import kotlin.concurrent.thread
import kotlin.random.Random
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.nanoseconds

/** The line in real time: threads, futures and coroutines in one line. */
class SendRateLineThreadsTest :
    FunSpec({
        test("threads, futures and coroutines stand in one line and together keep the rate") {
            val bench = LiveBench(rate = 200.0, capacity = 1.0)
            val granted = LongAdder()
            val start = System.nanoTime()
            val blocking = List(3) {
                thread {
                    repeat(20) {
                        if (bench.line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS) >= 0) granted.increment()
                    }
                }
            }
            val futures = List(20) { bench.line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS) }
            withContext(Dispatchers.Default) {
                repeat(20) { if (bench.line.acquire(NoPermit.Wait, UNLIMITED_NANOS) >= 0) granted.increment() }
            }
            blocking.forEach(Thread::join)
            for (future in futures) if (future.get(60, SECONDS) >= 0) granted.increment()
            val seconds = (System.nanoTime() - start) / 1e9
            granted.sum() shouldBe 100
            granted.sum().toDouble() shouldBeLessThanOrEqual 200.0 * seconds + 1
            bench.line.waiting shouldBe 0
        }

        test("threads get their permits also if they are all that a dispatcher has") {
            for (dispatcher in listOf(Dispatchers.Default, Dispatchers.IO)) {
                val bench = LiveBench(rate = 1000.0, capacity = 1.0)
                val waited = withTimeout(1.minutes) {
                    List(200) {
                        async(dispatcher) {
                            runInterruptible { bench.line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS) }
                        }
                    }.awaitAll()
                }
                waited.forEach { it shouldBeGreaterThanOrEqual 0L }
            }
        }

        test("whatever is cancelled at whatever moment, the line goes on and no permit is lost") {
            val bench = LiveBench(rate = 2000.0, capacity = 1.0)
            val granted = LongAdder()
            val start = System.nanoTime()
            withContext(Dispatchers.Default) {
                List(4) { seed ->
                    launch {
                        val random = Random(seed)
                        repeat(100) {
                            val patience = random.nextLong(3)
                            val taken =
                                if (random.nextInt(4) == 0) {
                                    bench.line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS).cancel(true)
                                    null
                                } else {
                                    withTimeoutOrNull(patience) { bench.line.acquire(NoPermit.Wait, UNLIMITED_NANOS) }
                                }
                            if (taken != null) granted.increment()
                            bench.rate.record(throttled = false, sentAt = 0, now = System.nanoTime())
                        }
                    }
                }.joinAll()
            }
            granted.sum().toDouble() shouldBeLessThanOrEqual 2000.0 * ((System.nanoTime() - start) / 1e9) + 1
            val last = bench.line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS)
            last.get(60, SECONDS) shouldBeGreaterThanOrEqual 0L
            // Whose future was cancelled leaves on a thread of the pool, whenever that comes to it.
            bench.untilWaiting(0)
        }

        test("a future stands in the line from the moment it is asked for") {
            val bench = LiveBench(rate = 0.001, capacity = 1.0)
            val futures = List(200) { before ->
                bench.line.waiting shouldBe before
                bench.line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS)
            }
            bench.line.waiting shouldBe 200
            futures.forEach { it.cancel(false) }
            bench.untilWaiting(0)
        }

        test("a thread and a future are refused like a coroutine") {
            val bench = LiveBench(rate = 0.5, capacity = 1.0)
            bench.line.acquireBlocking(NoPermit.Fail, UNLIMITED_NANOS) shouldBe SendRateLine.REFUSED
            bench.line.acquireAsync(NoPermit.Fail, UNLIMITED_NANOS).join() shouldBe SendRateLine.REFUSED
            bench.line.acquireBlocking(NoPermit.waitAtMost(1.nanoseconds), UNLIMITED_NANOS) shouldBe
                SendRateLine.REFUSED
        }

        test("a wait is measured in real time") {
            // Time passes from the wait on: on a busy machine the permit might be there before the call.
            val start = System.nanoTime()
            var passes = false
            val rate = limited(perSecond = 20.0, capacity = 1.0, start)
            val line = SendRateLine.of(rate, { if (passes) System.nanoTime() else start }, {
                passes = true
                Waiter.DELAY.await(it)
            })
            line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS) shouldBeGreaterThan 10_000_000L
        }
    })

/** A limiter that is on, at a steady rate, with a bucket that is empty [now]. */
private fun limited(perSecond: Double, capacity: Double, now: Long) =
    SendRate(SendRateSettings.EXACT.toBuilder().minFillRate(perSecond).minCapacity(capacity).build(), now)
        .apply { record(throttled = true, sentAt = now, now = now) }

private class LiveBench(rate: Double, capacity: Double) {
    val rate = limited(rate, capacity, System.nanoTime())
    val line = SendRateLine.of(this.rate, System::nanoTime, Waiter.DELAY)

    /** Returns when so many [callers] are in the line; fails when they are not in a minute. */
    fun untilWaiting(callers: Int) {
        val end = System.nanoTime() + 60_000_000_000
        while (line.waiting != callers) {
            check(System.nanoTime() < end) { "${line.waiting} callers are in the line, not $callers" }
            Thread.sleep(1)
        }
    }
}
