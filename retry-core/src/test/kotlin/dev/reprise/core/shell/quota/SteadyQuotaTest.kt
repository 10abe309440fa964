package dev.reprise.core.shell.quota

import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

class SteadyQuotaTest :
    FunSpec({
        val settings = SteadyQuotaSettings.DEFAULT

        /** Calls that succeed at once, [perSecond] of them for [seconds]. */
        fun Quota.serve(clock: TestClock, perSecond: Int, seconds: Int) = repeat(perSecond * seconds) {
            clock.pass(1.0 / perSecond)
            succeeded(settings.firstTryRefund, null)
        }

        fun Quota.retry(operation: String? = null) = tryTake(settings.cost, operation)

        test("a client that has just begun can pay two retries") {
            val quota = settings.newQuota(TestClock())
            List(4) { quota.retry() } shouldBe listOf(true, true, false, false)
        }

        test("the capacity is one token for each call of the last five seconds, between its bounds") {
            for ((perSecond, capacity) in mapOf(1 to 41, 8 to 41, 20 to 100, 60 to 300, 100 to 500, 1_000 to 500)) {
                val clock = TestClock()
                val quota = settings.newQuota(clock)
                quota.serve(clock, perSecond, seconds = 30)
                quota.retry() shouldBe true
                quota.capacity.shouldBeBetween(capacity - 1, capacity)
            }
        }

        test("after a clock was set back the capacity follows the traffic again") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            clock.pass(3_600.0)
            quota.retry() shouldBe true
            quota.serve(clock, perSecond = 20, seconds = 30)
            quota.retry() shouldBe true
            clock.pass(-3_600.0)
            quota.retry() shouldBe true
            quota.capacity.shouldBeBetween(99, 100)
            quota.serve(clock, perSecond = 60, seconds = 30)
            quota.retry() shouldBe true
            quota.capacity.shouldBeBetween(299, 300)
        }

        test("calls that are refused their retry are traffic too, so that the capacity outlasts an outage") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            quota.serve(clock, perSecond = 50, seconds = 30)
            repeat(50 * 60) {
                clock.pass(0.02)
                quota.retry()
            }
            quota.capacity.shouldBeBetween(240, 260)
            quota.available.shouldBeBetween(0, settings.cost - 1)
        }

        test("a burst that is spent stays spent when the client's traffic grows") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            while (quota.retry()) clock.pass(0.01)
            var paid = 0
            repeat(100 * 20) {
                clock.pass(0.01)
                if (quota.retry()) paid++
            }
            quota.capacity.shouldBeBetween(450, 500)
            // What was left of two retries' change grows with the burst.
            paid.shouldBeBetween(0, 12)
        }

        test("after a long silence a client counts as small again") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            quota.serve(clock, perSecond = 100, seconds = 30)
            clock.pass(3_600.0)
            quota.retry() shouldBe true
            quota.capacity shouldBe settings.leastCapacity
        }

        test("a dead operation spends its share and no more, and gets it back when it is alive again") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            quota.serve(clock, perSecond = 50, seconds = 30)
            var paid = 0
            while (quota.retry("dead")) paid += settings.cost
            paid.shouldBeBetween(112, 125)
            quota.available("dead").shouldBeBetween(0, settings.cost - 1)
            quota.available("alive") shouldBe 125
            quota.retry("alive") shouldBe true

            repeat(200) { quota.succeeded(settings.firstTryRefund, "dead") }
            quota.available("dead") shouldBe 125
            quota.retry("dead") shouldBe true
        }

        test("calls without an operation have no share, and can spend the whole burst") {
            val clock = TestClock()
            val quota = settings.newQuota(clock)
            quota.serve(clock, perSecond = 50, seconds = 30)
            var paid = 0
            while (quota.retry()) paid += settings.cost
            paid.shouldBeBetween(238, 250)
        }

        test("it never has more than the SDKs' quota would have after the same calls") {
            val calls = arbitrary { source -> List(source.random.nextInt(2_000)) { source.random.nextDouble() < 0.3 } }
            checkAll(40, calls, Arb.int(1..200)) { failures, perSecond ->
                val clock = TestClock()
                val steady = settings.newQuota(clock)
                val sdk = TokenBucketSettings.STANDARD.newQuota(clock)
                for (isFailure in failures) {
                    clock.pass(1.0 / perSecond)
                    if (isFailure) {
                        if (steady.retry()) sdk.tryTake(settings.cost, null) shouldBe true
                    } else {
                        steady.succeeded(settings.firstTryRefund, null)
                        sdk.succeeded(1, null)
                    }
                    steady.available shouldBeLessThanOrEqualTo sdk.available
                }
            }
        }
    })
