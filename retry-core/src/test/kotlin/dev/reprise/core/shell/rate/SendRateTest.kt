package dev.reprise.core.shell.rate

import com.sun.management.ThreadMXBean
import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.numericDouble
import io.kotest.property.checkAll
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

class SendRateTest :
    FunSpec({
        test("permits are free while the limiter is off, and taking one leaves no trace") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val before = rate.state
            rate.tryTake(5) shouldBe true
            rate.isOn shouldBe false
            rate.sendRate.shouldBeNull()
            (rate.state === before) shouldBe true
        }

        test("the one watcher is told when the rate changes, and only then") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val told = AtomicInteger()
            val watcher = Watcher { told.incrementAndGet() }
            rate.watcherOr(watcher) shouldBeSameInstanceAs watcher
            rate.watcherOr(Watcher { error("there is a watcher") }) shouldBeSameInstanceAs watcher
            rate.record(throttled = true, sentAt = 0, now = 0)
            told.get() shouldBe 1
            rate.record(throttled = true, sentAt = 0, now = 1)
            told.get() shouldBe 1
            rate.update(SendRateSettings.STEADY)
            told.get() shouldBe 2
        }

        for (settings in listOf(SendRateSettings.EXACT, SendRateSettings.STEADY)) {
            test(
                "what comes due while somebody waits is there when he looks, 50 ms late at most (${settings.growth})",
            ) {
                val kept = if (settings.growth == GrowthRule.STEADY) 0.05 else 0.0
                checkAll(200, Arb.numericDouble(1.0, 1e5), Arb.long(0, 200_000_000), Arb.boolean()) {
                        perSecond,
                        late,
                        waits,
                    ->
                    val fixed = settings.toBuilder().minFillRate(perSecond).build()
                    val rate = SendRate(fixed, startedAt = 0).apply { watcherOr(Watcher(waits)) }
                    rate.record(throttled = true, sentAt = 0, now = 0)
                    rate.tryTake(0) shouldBe false
                    val now = rate.waitNanos(0, 0) + late
                    val most = rate.state.capacity + if (waits) kept * perSecond else 0.0
                    rate.record(throttled = false, sentAt = 0, now = now)
                    val there = minOf(most, 1 + secondsOf(late) * perSecond).toInt()
                    generateSequence { rate.tryTake(now) }.takeWhile { it }.count() shouldBeInRange there - 1..there + 1
                }
            }
        }

        test("permits come back after a clock was set back while nothing was under way") {
            val hour = 3600 * SECOND
            val rate = SendRate(SendRateSettings.EXACT, startedAt = hour)
            rate.record(throttled = true, sentAt = hour, now = hour)
            rate.tryTake(0) shouldBe false
            rate.tryTake(2 * SECOND - 1) shouldBe false
            rate.tryTake(2 * SECOND) shouldBe true
        }

        for (settings in listOf(SendRateSettings.EXACT, SendRateSettings.STEADY)) {
            test("a permit and an answer make one object of at most 56 bytes each (${settings.growth})") {
                val roomy = settings.toBuilder().minFillRate(1e6).minCapacity(1e6).build()
                bytesOf(roomy) shouldBeLessThanOrEqualTo 113L * STEPS
            }
        }

        test("many threads together never take more than the bucket gives") {
            val rate =
                SendRate(SendRateSettings.EXACT.toBuilder().minFillRate(1e5).minCapacity(1e5).build(), startedAt = 0)
            rate.record(throttled = true, sentAt = 0, now = 0)
            val clock = AtomicInteger()
            val granted = AtomicInteger()
            val ticks = 4000
            List(4) {
                thread {
                    while (true) {
                        val now = clock.incrementAndGet()
                        if (now > ticks) break
                        repeat(3) { if (rate.tryTake(now * 10_000L)) granted.incrementAndGet() }
                        rate.record(throttled = true, sentAt = 0, now = now * 10_000L)
                    }
                }
            }.forEach(Thread::join)
            granted.get() shouldBeLessThanOrEqualTo ticks
        }
    })

/** Watches for callers who wait, or not. */
private class Watcher(override val isWaiting: Boolean = false, private val changed: () -> Unit = {}) : RateWatcher {
    override fun rateChanged() = changed()
}

private const val STEPS = 200_000

/** What the thread allocates in so many steps of a limiter that is on, once they have run so often that they are compiled. */
private fun bytesOf(settings: SendRateSettings): Long {
    val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean
    val rate = SendRate(settings, startedAt = 0)
    rate.record(throttled = true, sentAt = 0, now = 0)
    var now = 0L

    fun steps() = repeat(STEPS) {
        now += 10_000
        check(rate.tryTake(now))
        rate.record(throttled = false, sentAt = now, now = now + 1)
    }
    repeat(10) { steps() }
    val before = threads.currentThreadAllocatedBytes
    steps()
    return threads.currentThreadAllocatedBytes - before
}
