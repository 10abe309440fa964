package dev.reprise.coroutines

import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.shell.Waiter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.matchers.types.shouldNotBeSameInstanceAs

/** Builders read as they were set, and the text of a retrier names its parts. */
class RetrierSettingsTest :
    FunSpec({
        test("a builder reads as it was set") {
            val quota = RetryQuota(7)
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val deadlines = DeadlineSource { null }
            val waiter = Waiter { }
            val builder = Retrier.builder().name("users").quota(quota).sendRate(rate).deadlines(deadlines)
            builder.waiter shouldBeSameInstanceAs Waiter.DELAY
            builder.waiter(waiter)
            builder.name shouldBe "users"
            builder.quota shouldBeSameInstanceAs quota
            builder.sendRate shouldBeSameInstanceAs rate
            builder.deadlines shouldBeSameInstanceAs deadlines
            builder.waiter shouldBeSameInstanceAs waiter
        }

        test("a retrier's text names it, its quota and its send rate, if it has them") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val full = Retrier(RetryPolicy.ADAPTIVE_STEADY) {
                name = "users"
                sendRate = rate
            }
            full.toString() shouldBe "Retrier(users, ${RetryPolicy.ADAPTIVE_STEADY}, ${full.quota}, $rate)"
            val bare = Retrier(RetryPolicy.STANDARD) { quota = null }
            bare.toString() shouldBe "Retrier(${RetryPolicy.STANDARD}, no quota)"
        }

        test("a policy without a send rate sets the retrier's aside, and the next one with it finds it again") {
            val adaptive = Retrier(RetryPolicy.ADAPTIVE_STEADY)
            val rate = adaptive.setup.sendRate
            val plain = adaptive.with(RetryPolicy.STANDARD)
            plain.setup.sendRate.shouldBeNull()
            plain.setup.ownRate shouldBeSameInstanceAs rate
            plain.with(RetryPolicy.ADAPTIVE_STEADY).setup.sendRate shouldBeSameInstanceAs rate
        }

        test("a policy that stands alone has one retrier in a loop, and one for each call if it limits a rate") {
            val policy = RetryPolicy { maxAttempts = 7 }
            StandaloneRetriers.of(policy) shouldBeSameInstanceAs StandaloneRetriers.of(policy)
            StandaloneRetriers.of(policy).policy shouldBeSameInstanceAs policy
            StandaloneRetriers.of(RetryPolicy.STANDARD) shouldBeSameInstanceAs StandaloneRetriers.standard
            val limited = RetryPolicy.ADAPTIVE_STEADY
            StandaloneRetriers.of(limited) shouldNotBeSameInstanceAs StandaloneRetriers.of(limited)
            val many = List(100) { RetryPolicy { maxAttempts = it + 1 } }
            for (each in many + many) StandaloneRetriers.of(each).policy shouldBeSameInstanceAs each
        }
    })
