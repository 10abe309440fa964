package dev.reprise.core.shell.quota

import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetrierCache
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

/** What holds at the least and the most of a quota's ranges, where a comparison that is off by one would show. */
class QuotaEdgesTest :
    FunSpec({
        test("the least and the most of every range are taken") {
            val steady = SteadyQuotaSettings {
                capacity = 1
                leastCapacity = 1
                firstTryRefund = 0
                reserveRefund = 0
                cost = 1
                throttlingCost = 1
                seconds = 0.001
                operations = 0
            }
            steady.with { capacity = SteadyQuotaSettings.MOST_TOKENS }.capacity shouldBe 1_000_000
            steady.with { seconds = 86_400.0 }.seconds shouldBe 86_400.0
            steady.with { operationShare = 1.0 }.operationShare shouldBe 1.0
            steady.with { operations = SteadyQuotaSettings.MOST_OPERATIONS }.operations shouldBe 10_000
            steady.with { operationShare = Double.MIN_VALUE }.newQuota(TestClock()).capacity shouldBe 1

            RatioQuotaSettings.builder().percent(0).perSecond(0).windowSeconds(1).build().windowSeconds shouldBe 1
            RatioQuotaSettings.builder().percent(1_000).perSecond(1_000_000).windowSeconds(60).build().percent shouldBe
                1_000
            TokenBucketSettings { capacity = 1 }.newQuota(TestClock()).available shouldBe 1
        }

        test("what is one beyond a range is refused") {
            val steady = SteadyQuotaSettings.DEFAULT
            val ratio = RatioQuotaSettings.FINAGLE
            val beyond = listOf<() -> Any>(
                { steady.with { operations = SteadyQuotaSettings.MOST_OPERATIONS + 1 } },
                { steady.with { seconds = 86_400.1 } },
                { steady.with { operationShare = 0.0 } },
                { ratio.with { percent = -1 } },
                { ratio.with { perSecond = 1_000_001 } },
                { ratio.with { windowSeconds = 0 } },
            )
            for (make in beyond) shouldThrow<IllegalArgumentException> { make() }
        }

        test("a retry of a ratio quota costs a hundred, whatever it is for, and a success adds the percentage") {
            val ratio = RatioQuotaSettings.FINAGLE
            listOf(ratio.cost, ratio.throttlingCost, ratio.timeoutCost) shouldBe listOf(100, 100, 100)
            ratio.firstTryRefund shouldBe 20
        }

        test("without an operation, or shares, an operation may spend what there is") {
            val quotas = listOf(
                RetryQuota(),
                RatioQuotaSettings.FINAGLE.newQuota(TestClock()),
                SteadyQuotaSettings.DEFAULT.with { operations = 0 }.newQuota(TestClock()),
            )
            for (quota in quotas) quota.available("a") shouldBe quota.available
            val steady = SteadyQuotaSettings.DEFAULT.newQuota(TestClock())
            steady.tryTake(14, null)
            steady.available(null) shouldBe 27
        }

        test("the last token of a burst and of its reserve can be spent, and no more") {
            val quota = SteadyQuotaSettings {
                capacity = 28
                leastCapacity = 28
            }.newQuota(TestClock())
            quota.available shouldBe 28
            List(3) { quota.tryTake(14, null) } shouldBe listOf(true, true, false)
            quota.available shouldBe 0
        }

        test("an operation may spend its share to the last token") {
            val quota = SteadyQuotaSettings {
                capacity = 28
                leastCapacity = 28
            }.newQuota(TestClock())
            List(3) { quota.tryTake(14, "a") } shouldBe listOf(true, true, false)
            quota.available("a") shouldBe 0
            quota.available("b") shouldBe 0
        }

        test("traffic is estimated anew once a tenth of its window has passed, and not before") {
            val clock = TestClock()
            val traffic = Traffic(windowNanos = 1_000, clock)
            repeat(50) { traffic.count() }
            clock.nanos = 99
            traffic.recent() shouldBe 0.0
            clock.nanos = 100
            traffic.recent() shouldBe 50.0
            clock.nanos = 1_100
            traffic.recent() shouldBe 0.0
        }

        test("no quota depends on when its clock began") {
            val steps = Arb.list(Arb.int(-40..60), 0..60)
            checkAll(anyQuotaSettings, steps, Arb.long()) { settings, uses, begin ->
                fun answers(startedAt: Long): List<Any> {
                    val clock = TestClock().apply { nanos = startedAt }
                    val quota = settings.newQuota(clock)
                    return uses.map {
                        clock.pass(0.1)
                        when {
                            it > 20 -> quota.tryTake(it, null)
                            it >= 0 -> quota.succeeded(it, null)
                            else -> quota.giveBack(-it, null)
                        } to quota.available
                    }
                }
                answers(begin) shouldBe answers(0)
            }
        }

        test("what a window gives back is the oldest that it took, across its slots") {
            val taken = RatioWindow(taken = 0).at(1, 0).plus(100).at(2, 0).plus(100)
            val left = taken.minus(150)
            left.taken() shouldBe 50
            left.at(11, 0).taken() shouldBe 50
            left.at(12, 0).taken() shouldBe 0
            taken.minus(500).taken() shouldBe 0
        }

        test("a quota says what is left") {
            val clock = TestClock()
            RetryQuota().apply { tryTake(14) }.toString() shouldBe "quota(486 of 500)"
            SteadyQuotaSettings.DEFAULT.newQuota(clock).toString() shouldBe "steady quota(41 of 41)"
            RatioQuotaSettings.FINAGLE.newQuota(clock).toString() shouldBe "ratio quota(10000 of 10000)"
            RetrierCache<String, Int>(3) { 1 }.apply { get("a") }.run { "$this $capacity" } shouldBe
                "RetrierCache(1 of 3) 3"
        }
    })
