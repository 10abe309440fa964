package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerHints
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

/** What a server says about its limit, and what becomes of the rate. */
class RateHintTest :
    FunSpec({
        val second = SECOND

        fun steady(use: ServerHints) = SendRateSettings.STEADY.with { hints = use }

        /** A client that has had an answer every 10 ms for two seconds. */
        fun busy(use: ServerHints): SendRateState = (1..200).fold(SendRateState(steady(use), 0)) { state, number ->
            state.record(RateOutcome.ACCEPTED, number * second / 100, number * second / 100)
        }

        test("a server that says little is left is asked no faster than that, before the first throttle") {
            val capped = busy(ServerHints.CAP).hint(RateHint.of(50, 10), 2 * second)
            capped.enabled shouldBe true
            capped.sendRate shouldBe 5.0
            capped.tokensAt(2 * second) shouldBe 0.0
            capped.waitNanos(2 * second) shouldBe second / 5
        }

        test("enough being left changes nothing") {
            val state = busy(ServerHints.CAP)
            (state.hint(RateHint.of(5000, 10), 2 * second) === state) shouldBe true
        }

        test("a hint that is not to be used changes nothing, and the exact rule takes none") {
            val state = busy(ServerHints.OFF)
            (state.hint(RateHint.of(0, 10), 2 * second) === state) shouldBe true
            val exact = SendRateState(SendRateSettings.EXACT, 0)
            (exact.hint(RateHint.of(0, 10), 0) === exact) shouldBe true
        }

        test("with nothing left no permit is given until the window ends, and then they are free again") {
            val empty = busy(ServerHints.CAP).hint(RateHint.of(0, 10), 2 * second)
            empty.tryTake(12 * second - 1).shouldBeNull()
            empty.waitNanos(2 * second) shouldBe 10 * second
            empty.tryTake(12 * second).shouldNotBeNull().enabled shouldBe false
        }

        test("permits that were saved up at another rate are no more than the server has left") {
            val most = Arb.long(0L..20)
            checkAll(100, Arb.int(20..5000), most, Arb.int(1..60), Arb.boolean()) { perSecond, left, seconds, bundles ->
                val settings = steady(ServerHints.CAP).with {
                    minFillRate = perSecond.toDouble()
                    minCapacity = perSecond / 10.0
                }
                val rate = SendRate(settings, 0).apply { record(RateOutcome.THROTTLED, 0, 0) }
                if (bundles) rate.tryTake(second) shouldBe true
                rate.hint(RateHint.of(left, seconds.toLong()), second)
                var taken = 0L
                while (rate.tryTake(second)) taken++
                taken shouldBeLessThanOrEqual left
                val end = (1 + seconds) * second
                if (left == 0L) rate.tryTake(end - 1) shouldBe false
                rate.tryTake(end + second) shouldBe true
            }
        }

        test("an announcement ends when the client is told not to use any, or to go by a rule that uses none") {
            for (other in listOf(steady(ServerHints.OFF), SendRateSettings.EXACT)) {
                val empty = busy(ServerHints.CAP).hint(RateHint.of(0, 10), 2 * second)
                empty.with(steady(ServerHints.FOLLOW)).enabled shouldBe true
                empty.with(other).enabled shouldBe false
                empty.with(other).tryTake(2 * second).shouldNotBeNull()
            }
        }

        test("a hostile hint stops a client for a minute at most") {
            val empty = busy(ServerHints.CAP).hint(RateHint.of(0, Long.MAX_VALUE), 2 * second)
            empty.waitNanos(2 * second) shouldBe 60 * second
        }

        test("the newest hint counts, and one with plenty left ends the cap") {
            val capped = busy(ServerHints.CAP).hint(RateHint.of(0, 10), 2 * second)
            capped.hint(RateHint.of(5000, 10), 3 * second).enabled shouldBe false
            capped.hint(RateHint.of(20, 10), 3 * second).sendRate shouldBe 2.0
        }

        test("a cap leaves a lower rate that throttles have taught, which follow replaces") {
            for ((use, expected) in mapOf(ServerHints.CAP to false, ServerHints.FOLLOW to true)) {
                val throttled = busy(use).record(RateOutcome.THROTTLED, 2 * second, 2 * second)
                val hinted = throttled.hint(RateHint.of(1000, 10), 2 * second)
                hinted.sendRate shouldBe ((if (expected) 100.0 else throttled.sendRate) plusOrMinus 1e-9)
            }
        }

        test("a permit is there after exactly the wait that was foretold, whatever was hinted") {
            val uses = Arb.element(ServerHints.CAP, ServerHints.FOLLOW)
            checkAll(uses, Arb.list(Arb.long(0L..40), 1..20)) { use, numbers ->
                var now = 2 * second
                var state = busy(use)
                for (number in numbers) {
                    now += number * second / 8
                    state = state.hint(RateHint.of(number, 40 - number), now)
                    if (number % 5 == 0L) state = state.record(RateOutcome.THROTTLED, now, now)
                    // When a limit ends before, the head of the line looks again: it never waits too long.
                    var waited = now
                    repeat(3) { waited += state.tryTake(waited)?.let { 0L } ?: state.waitNanos(waited) }
                    state.tryTake(waited).shouldNotBeNull()
                }
            }
        }

        test("a hint's rate spends what is left evenly") {
            RateHint.of(30, 60).perSecond shouldBe 0.5
            RateHint.of(30, 0).perSecond shouldBe Double.POSITIVE_INFINITY
            RateHint.of(0, Long.MAX_VALUE).seconds.toDouble() shouldBeLessThanOrEqual 86_400.0
        }
    })
