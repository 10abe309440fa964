package dev.reprise.core.shell.quota.sim

import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeBetween
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull

/** The figures that `docs/research/quota.md` promises, of one seed and smaller fleets. */
class FiguresTest :
    FunSpec({
        val exact = TokenBucketSettings.STANDARD
        val steady = SteadyQuotaSettings.DEFAULT

        fun outage(settings: QuotaSettings?, clients: Int, rate: Double, seconds: Int = 30) =
            Experiments.outage(settings, clients, rate, seconds)

        test("in an outage a steady fleet of any size soon stops retrying") {
            outage(steady, 10, 50.0).first shouldBeLessThan 1.03
            outage(steady, 500, 1.0).first shouldBeLessThan 1.15
            outage(steady, 2_000, 0.1).first shouldBeLessThan 1.7
            val (whole, first) = outage(steady, 500, 1.0, seconds = 60)
            whole shouldBeLessThan 1.05
            first shouldBeLessThan 1.25
        }

        test("the SDKs' quota does so for large clients only, and an unlimited floor for none") {
            outage(exact, 10, 50.0).first shouldBeLessThan 1.03
            outage(exact, 500, 1.0).first.shouldBeBetween(2.1, 2.25, 0.0)
            outage(exact, 2_000, 0.1).first shouldBeGreaterThan 2.9
            outage(RatioQuotaSettings.FINAGLE, 500, 1.0).first shouldBeGreaterThan 2.9
        }

        test("after a stall the third fleet recovers at once with the steady quota, and never with the SDKs'") {
            fun stall(settings: QuotaSettings?, load: Double) =
                Experiments.stall(settings, 2_000, 0.1, load, Stall.LOST, watch = 60).recovery
            stall(exact, 0.91).shouldBeNull()
            stall(steady, 0.91).shouldNotBeNull() shouldBeLessThanOrEqual 5
            stall(steady, 0.97).shouldNotBeNull() shouldBeLessThanOrEqual 5
        }

        test("independent failures are retried nearly as well as without a quota") {
            for ((clients, rate) in listOf(1 to 50.0, 50 to 1.0)) {
                fun success(probability: Double) =
                    Experiments.independent(steady, clients, rate, probability, to = 300).first
                success(0.05) shouldBeGreaterThan 0.9979
                success(0.1) shouldBeGreaterThan 0.9969
                success(0.2) shouldBeGreaterThan 0.9718
            }
        }

        test("in a brown-out retries stay few, for a client of one call a second too") {
            for ((probability, most) in mapOf(0.3 to 1.3, 0.5 to 1.25, 0.7 to 1.15)) {
                Experiments.independent(steady, 200, 1.0, probability, to = 120).second shouldBeLessThan most
            }
        }

        test("one dead operation of ten takes no retries from the others") {
            Experiments.deadOperation(steady, 50.0, 400) shouldBeLessThan 0.003
            Experiments.deadOperation(exact, 50.0, 400) shouldBeGreaterThan 0.02
        }

        test("all tables, with nine seeds").config(enabled = System.getProperty("quota.tables").toBoolean()) {
            val contestants = linkedMapOf(
                "standard-2.1" to exact,
                "standard-steady" to steady,
                "without its reserve" to steady.with { reserveRefund = firstTryRefund },
                "ratio (Finagle)" to RatioQuotaSettings.FINAGLE,
                "no quota" to null,
            )
            Tables(contestants, 1L..9L).print(::println)
        }
    })
