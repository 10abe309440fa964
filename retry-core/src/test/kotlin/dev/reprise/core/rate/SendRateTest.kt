package dev.reprise.core.rate

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
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

        test("the first throttle turns the limiter on") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            rate.record(throttled = true, sentAt = 0, now = 0)
            rate.isOn shouldBe true
            rate.sendRate shouldBe 0.5
            rate.tryTake(0) shouldBe false
            rate.tryTake(2 * NANOS_PER_SECOND) shouldBe true
        }

        test("watchers are told when the rate changes, and only then") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val told = AtomicInteger()
            rate.watch { told.incrementAndGet() }
            rate.record(throttled = true, sentAt = 0, now = 0)
            told.get() shouldBe 1
            rate.record(throttled = true, sentAt = 0, now = 1)
            told.get() shouldBe 1
            rate.update(SendRateSettings.STEADY)
            told.get() shouldBe 2
        }

        test("many threads together never take more than the bucket gives") {
            val rate = SendRate(SendRateSettings.EXACT.copy(minFillRate = 1e5, minCapacity = 1e5), startedAt = 0)
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
