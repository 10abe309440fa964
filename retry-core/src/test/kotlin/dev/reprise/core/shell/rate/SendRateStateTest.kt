package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll

class SendRateStateTest :
    FunSpec({
        val rules = Arb.element(SendRateSettings.EXACT, SendRateSettings.STEADY)

        test("permits are free until the first throttle and limited for ever after") {
            val off = SendRateState(SendRateSettings.EXACT, 0).record(throttled = false, sentAt = 0, now = 1)
            off.enabled shouldBe false
            off.tryTake(1) shouldBe off
            off.waitNanos(1) shouldBe 0
            val on = off.record(throttled = true, sentAt = 1, now = 2)
            on.enabled shouldBe true
            on.record(throttled = false, sentAt = 2, now = 3).enabled shouldBe true
        }

        test("a throttle before anything was measured permits one attempt in two seconds") {
            val state = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            state.sendRate shouldBe 0.5
            state.tryTake(0).shouldBeNull()
            state.waitNanos(0) shouldBe 2 * SECOND
        }

        test("a permit is there after exactly the wait that was foretold, whatever was recorded and taken before") {
            checkAll(rules, Arb.list(step, 0..60)) { settings, steps ->
                val (state, now) = play(settings, steps)
                val wait = state.waitNanos(now)
                state.tryTake(now + wait).shouldNotBeNull()
                if (wait > 1) state.tryTake(now + wait - wait / 1000 - 1).shouldBeNull()
            }
        }

        test("over any time, permits never exceed the integral of the rate and what the bucket holds") {
            checkAll(rules, Arb.list(step, 1..200)) { settings, steps ->
                var now = 0L
                var state = SendRateState(settings, 0).record(throttled = true, sentAt = 0, now = 0)
                var allowed = state.capacity
                var granted = 0
                for (step in steps) {
                    now += step.after
                    allowed += state.sendRate * secondsOf(step.after)
                    while (state.enabled) state = state.tryTake(now)?.also { granted++ } ?: break
                    state = state.record(step.throttled, now - step.latency, now)
                }
                granted.toDouble() shouldBeLessThanOrEqual allowed + 1e-6
            }
        }

        test("the rate is never below the floor and always finite, also on a clock that stands still") {
            checkAll(rules, Arb.list(step, 1..200)) { settings, steps ->
                for (all in listOf(steps, steps.map { Step(it.throttled, after = 0, latency = 0) })) {
                    val (state, _) = play(settings, all)
                    state.sendRate.isFinite() shouldBe true
                    (state.sendRate >= settings.minFillRate) shouldBe true
                }
            }
        }

        test("the exact rate is never above twice what was measured") {
            checkAll(Arb.list(step, 1..200)) { steps ->
                val (state, _) = play(SendRateSettings.EXACT, steps)
                state.sendRate shouldBeLessThanOrEqual maxOf(0.5, 2 * state.measuredRate)
            }
        }

        test("the state depends on differences of readings only") {
            checkAll(rules, Arb.list(step, 1..60), Arb.long(min = Long.MIN_VALUE + SECOND)) { settings, steps, start ->
                val second = start - start.mod(SECOND)
                play(settings, steps, second).first.toString() shouldBe play(settings, steps, 0).first.toString()
            }
        }

        test("an answer read a little late by a racing thread does not fill the bucket twice") {
            val on = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            val later = 900_000_000L
            var state = on
            repeat(100) {
                state = state.record(throttled = false, sentAt = 0, now = later)
                state = state.record(throttled = false, sentAt = 0, now = later - 500_000_000)
            }
            state.tokensAt(later) shouldBe (0.45 plusOrMinus 1e-9)
        }

        test("a clock that was set back goes on from where it was") {
            val hour = 3600 * SECOND
            val on = SendRateState(SendRateSettings.EXACT, hour).record(throttled = true, sentAt = hour, now = hour)
            on.waitNanos(0) shouldBe 2 * SECOND
            val set = on.record(throttled = false, sentAt = 0, now = 0)
            set.tryTake(2 * SECOND).shouldNotBeNull()
            set.tryTake(SECOND).shouldBeNull()
        }

        test("ten years of idleness leave a full bucket and a sane rate") {
            val years = 10 * 365 * 86_400 * SECOND
            val on = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            val after = on.record(throttled = false, sentAt = years, now = years)
            after.sendRate shouldBe 0.5
            after.tokensAt(years) shouldBe 1.0
            after.tryTake(years)!!.waitNanos(years) shouldBe 2 * SECOND
        }

        test("a state taken over by other settings keeps what was measured and granted") {
            val (state, now) = play(SendRateSettings.EXACT, List(30) { Step(it % 9 == 8, 100_000_000, 0) })
            val other = state.with(SendRateSettings.STEADY)
            other.measuredRate shouldBe state.measuredRate
            other.tokensAt(now) shouldBe state.tokensAt(now)
            other.enabled shouldBe state.enabled
        }

        test("a permit that comes back can be taken again, and does not overfill the bucket") {
            val on = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            val now = 2 * SECOND
            val taken = on.tryTake(now)!!
            taken.putBack().tryTake(now).shouldNotBeNull()
            taken.putBack().putBack().tokensAt(now) shouldBe 1.0
        }

        test("callers further back in line wait in proportion") {
            val on = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            on.waitNanos(0, ahead = 4) shouldBe 10 * SECOND
            on.waitNanos(SECOND, ahead = 4) shouldBeGreaterThan on.waitNanos(SECOND, ahead = 3)
        }
    })

private class Step(val throttled: Boolean, val after: Long, val latency: Long)

private val step: Arb<Step> =
    Arb.int(0..Int.MAX_VALUE).map { bits ->
        Step(
            throttled = bits % 7 == 0,
            after = (bits / 7 % 1000) * 2_000_000L,
            latency = (bits / 7000 % 100) * 10_000_000L,
        )
    }

/** The state after all [steps], taking a permit before each answer where there is one; and the time then. */
private fun play(settings: SendRateSettings, steps: List<Step>, start: Long = 0): Pair<SendRateState, Long> {
    var now = start
    var state = SendRateState(settings, start)
    for (step in steps) {
        now += step.after
        state = state.tryTake(now) ?: state
        state = state.record(step.throttled, now - step.latency, now)
    }
    return state to now
}
