package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.acquireAsync
import dev.reprise.coroutines.shell.acquireBlocking
import dev.reprise.coroutines.shell.giveBack
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.CompletableDeferred
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.seconds

private const val SECOND = 1_000_000_000L

/** Threads and futures in the line, on a clock that stands still until [pass]: one permit in two seconds. */
private class Stopped {
    @Volatile
    private var now = 0L

    private val over = CompletableDeferred<Unit>()

    /** Open when a wait for time has begun. */
    val waits = CountDownLatch(1)
    val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
    val line = SendRateLine.of(rate, { now }, {
        waits.countDown()
        over.await()
    })

    init {
        rate.record(throttled = true, sentAt = 0, now = 0)
    }

    fun pass(nanos: Long) {
        now += nanos
        over.complete(Unit)
    }

    fun hasPermit(): Boolean = rate.tryTake(now)
}

class SendRateBridgesTest :
    FunSpec({
        timeout = 60.seconds.inWholeMilliseconds

        test("a thread that waits gets its permit, and is told how long it waited") {
            val time = Stopped()
            val waited = CompletableFuture<Long>()
            val waiting = thread { waited.complete(time.line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS)) }
            time.waits.await()
            time.pass(2 * SECOND)
            waited.get(60, SECONDS) shouldBe 2 * SECOND
            waiting.join()
            time.hasPermit() shouldBe false
        }

        test("a thread that need not wait is refused, or served, at once") {
            val time = Stopped()
            time.line.acquireBlocking(NoPermit.Fail, UNLIMITED_NANOS) shouldBe SendRateLine.REFUSED
            time.pass(2 * SECOND)
            time.line.acquireBlocking(NoPermit.Fail, UNLIMITED_NANOS) shouldBe 0
        }

        test("a thread that is interrupted leaves the line and takes nothing, also when it was so before") {
            for (isBefore in listOf(false, true)) {
                val time = Stopped()
                val thrown = CompletableFuture<Throwable?>()
                val waiting = thread {
                    if (isBefore) Thread.currentThread().interrupt()
                    val end = runCatching { time.line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS) }
                    thrown.complete(end.exceptionOrNull())
                }
                if (!isBefore) {
                    time.waits.await()
                    waiting.interrupt()
                }
                (thrown.get(60, SECONDS) is InterruptedException) shouldBe true
                waiting.join()
                while (time.line.waiting > 0) Thread.onSpinWait()
                time.pass(2 * SECOND)
                time.hasPermit() shouldBe true
            }
        }

        test("what a waiter throws arrives as it is") {
            val failure = IllegalStateException("waiter")
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val line = SendRateLine.of(rate, { 0 }, { throw failure })
            rate.record(throttled = true, sentAt = 0, now = 0)
            shouldThrow<IllegalStateException> { line.acquireBlocking(NoPermit.Wait, UNLIMITED_NANOS) }
                .let { it.cause ?: it } shouldBeSameInstanceAs failure
            val future = line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS)
            val thrown = shouldThrow<ExecutionException> { future.get(60, SECONDS) }.cause!!
            (thrown.cause ?: thrown) shouldBeSameInstanceAs failure
        }

        test("a future that is cancelled leaves the line and takes nothing") {
            val time = Stopped()
            val place = time.line.acquireAsync(NoPermit.Wait, UNLIMITED_NANOS)
            time.waits.await()
            place.cancel(true)
            while (time.line.waiting > 0) Thread.onSpinWait()
            time.pass(2 * SECOND)
            time.hasPermit() shouldBe true
        }

        test("what is given back is a permit, if there was one") {
            val time = Stopped()
            time.line.giveBack(SendRateLine.REFUSED)
            time.hasPermit() shouldBe false
            time.line.giveBack(0)
            time.hasPermit() shouldBe true
            time.line.giveBack(3 * SECOND)
            time.hasPermit() shouldBe true
        }
    })
