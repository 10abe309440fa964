package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

class RatioQuotaTest :
    FunSpec({
        fun Quota.retries(): Int {
            var paid = 0
            while (tryTake(RatioQuotaSettings.RETRY, null)) paid++
            return paid
        }

        test("the floor is so many retries a second of the window") {
            RatioQuotaSettings.FINAGLE.open(TestClock()).retries() shouldBe 100
        }

        test("so many of a hundred successes can be retried") {
            checkAll(Arb.int(0..1_000), Arb.int(0..200)) { percent, successes ->
                val quota = RatioQuotaSettings {
                    this.percent = percent
                    perSecond = 0
                }.open(TestClock())
                repeat(successes) { quota.succeeded(percent, null) }
                quota.retries() shouldBe percent * successes / 100
            }
        }

        test("a success after a retry adds as much as any other") {
            val quota = RatioQuotaSettings { perSecond = 0 }.open(TestClock())
            repeat(10) { quota.succeeded(RatioQuotaSettings.RETRY, null) }
            quota.retries() shouldBe 2
        }

        test("successes are forgotten when the window has passed, and so is what was taken") {
            val clock = TestClock()
            val quota = RatioQuotaSettings.FINAGLE.open(clock)
            repeat(100) { quota.succeeded(20, null) }
            quota.retries() shouldBe 120
            clock.pass(11.0)
            quota.retries() shouldBe 100
            clock.pass(5.0)
            quota.retries() shouldBe 0
            clock.pass(6.0)
            quota.retries() shouldBe 100
        }

        test("successes between two failures count as evenly spread") {
            val clock = TestClock()
            val quota = RatioQuotaSettings { perSecond = 0 }.open(clock)
            repeat(1_000) { quota.succeeded(20, null) }
            clock.pass(100.0)
            quota.retries().shouldBeBetween(19, 21)
        }

        test("in a steady state retries are that share of successes") {
            val clock = TestClock()
            val quota = RatioQuotaSettings { perSecond = 0 }.open(clock)
            var paid = 0
            repeat(6_000) {
                clock.pass(0.1)
                quota.succeeded(20, null)
                if (quota.tryTake(RatioQuotaSettings.RETRY, null)) paid++
            }
            paid.shouldBeBetween(1_150, 1_250)
        }

        test("a success is counted without a look at the clock") {
            var readings = 0
            val quota = RatioQuotaSettings.FINAGLE.open {
                readings++
                0L
            }
            val before = readings
            repeat(100) { quota.succeeded(20, "a") }
            readings shouldBe before
        }
    })
