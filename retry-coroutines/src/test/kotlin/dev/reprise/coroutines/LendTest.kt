package dev.reprise.coroutines

import dev.reprise.core.Hedge
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.time.Duration.Companion.milliseconds

/** A retrier lends its quota and its send rate to a call that brings its own policy. */
class LendTest :
    FunSpec({
        fun costs(tokens: Int) = RetryPolicy { quota = TokenBucketSettings { cost(tokens) } }
        val ratio = RetryPolicy { quota = RatioQuotaSettings.FINAGLE }

        test("in tokens of another type a lent quota is paid what the retrier's present policy says") {
            val updated = Retrier(RetryPolicy.STANDARD).apply { update(costs(100)) }
            val derived = Retrier(RetryPolicy.STANDARD).with(costs(100))
            for (retrier in listOf(updated, derived)) {
                val lent = retrier.lend(ratio)
                lent.quota shouldBeSameInstanceAs retrier.quota
                lent.policy.quota!!.cost shouldBe 100
            }
        }

        test("in tokens of the same type it is paid what the call's policy says") {
            val retrier = Retrier(RetryPolicy.STANDARD)
            val lent = retrier.lend(costs(3))
            lent.quota shouldBeSameInstanceAs retrier.quota
            lent.policy.quota!!.cost shouldBe 3
        }

        test("what a retrier lacks, its calls share, and no update fills it or forgets it") {
            val retrier = Retrier(RetryPolicy.NONE)
            val asked = RetryPolicy {
                sendRate = SendRateSettings.EXACT
                hedge = Hedge()
            }
            val first = retrier.lend(asked)
            first.quota!!.tryTake(500, null) shouldBe true
            retrier.update(RetryPolicy.NONE.with { maxAttempts = 2 })
            val second = retrier.lend(asked)
            second.quota shouldBeSameInstanceAs first.quota
            second.quota!!.available shouldBe 0
            second.sendRate shouldBeSameInstanceAs first.sendRate
        }

        test("a call's policy has its own limits: its hedge may be above those of the retrier's policy") {
            val retrier = Retrier(RetryPolicy { attemptTimeout = 10.milliseconds })
            val asked = RetryPolicy { hedge = Hedge.after(50.milliseconds) }
            retrier.lend(asked).policy shouldBe asked
        }

        test("a retrier that gets a policy with a quota and a rate takes over what its calls have shared") {
            val retrier = Retrier(RetryPolicy.NONE)
            val asked = RetryPolicy { sendRate = SendRateSettings.EXACT }
            val lent = retrier.lend(asked)
            lent.quota!!.tryTake(500, null) shouldBe true
            retrier.update(asked.with { maxAttempts = 2 })
            retrier.quota shouldBeSameInstanceAs lent.quota
            retrier.sendRate shouldBeSameInstanceAs lent.sendRate
            retrier.lend(asked).quota!!.available shouldBe 0
        }
    })
