package dev.reprise.core

import dev.reprise.core.shell.quota.anyQuotaSettings
import dev.reprise.core.shell.quota.make
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.checkAll

class QuotaSettingsTest :
    FunSpec({
        val bucket = TokenBucketSettings.STANDARD
        val steady = SteadyQuotaSettings.DEFAULT
        val ratio = RatioQuotaSettings.FINAGLE

        test("the costs of each kind are the members of their names") {
            checkAll(anyQuotaSettings) { settings ->
                settings.costOf(FailureKind.TRANSIENT) shouldBe settings.cost
                settings.costOf(FailureKind.TIMEOUT) shouldBe settings.timeoutCost
                settings.costOf(FailureKind.THROTTLING) shouldBe settings.throttlingCost
            }
        }

        test("the timeout's cost is the cost where nothing else is said, in any order") {
            TokenBucketSettings { cost = 20 }.timeoutCost shouldBe 20
            SteadyQuotaSettings { cost = 20 }.timeoutCost shouldBe 20
            TokenBucketSettings.builder().timeoutCost(3).cost(20).build().timeoutCost shouldBe 3
        }

        test("what is wrong is said with name, rule and value") {
            val refused: Map<String, () -> Any> =
                mapOf(
                    "quota.capacity must be at least 1: 0" to { bucket.with { capacity = 0 } },
                    "quota.cost must not be negative: -1" to { bucket.with { cost = -1 } },
                    "quota.throttlingCost must not be negative: -1" to { bucket.with { throttlingCost = -1 } },
                    "quota.timeoutCost must not be negative: -1" to { bucket.with { timeoutCost = -1 } },
                    "quota.firstTryRefund must not be negative: -1" to { bucket.with { firstTryRefund = -1 } },
                    "quota.capacity must be from 1 to 1000000: 1000001" to { steady.with { capacity = 1_000_001 } },
                    "quota.leastCapacity must be from 1 to capacity (500): 501" to
                        { steady.with { leastCapacity = 501 } },
                    "quota.leastCapacity must be from 1 to capacity (500): 0" to { steady.with { leastCapacity = 0 } },
                    "quota.cost must be above firstTryRefund (2): 2" to { steady.with { cost = 2 } },
                    "quota.throttlingCost must be above firstTryRefund (2): 2" to {
                        steady.with { throttlingCost = 2 }
                    },
                    "quota.timeoutCost must be above firstTryRefund (2): 0" to { steady.with { timeoutCost = 0 } },
                    "quota.reserveRefund must not be negative: -1" to { steady.with { reserveRefund = -1 } },
                    "quota.firstTryRefund must be at least reserveRefund (3): 2" to
                        { steady.with { reserveRefund = 3 } },
                    "quota.seconds must be from 0.001 to 86400.0: 0.0" to { steady.with { seconds = 0.0 } },
                    "quota.seconds must be from 0.001 to 86400.0: NaN" to { steady.with { seconds = Double.NaN } },
                    "quota.operationShare must be above 0 and at most 1: 1.1" to
                        { steady.with { operationShare = 1.1 } },
                    "quota.operations must be from 0 to 10000: -1" to { steady.with { operations = -1 } },
                    "quota.percent must be from 0 to 1000: 1001" to { ratio.with { percent = 1_001 } },
                    "quota.perSecond must be from 0 to 1000000: -1" to { ratio.with { perSecond = -1 } },
                    "quota.windowSeconds must be from 1 to 60: 61" to { ratio.with { windowSeconds = 61 } },
                )
            for ((message, make) in refused) shouldThrow<IllegalArgumentException> { make() }.message shouldBe message
        }
    })
