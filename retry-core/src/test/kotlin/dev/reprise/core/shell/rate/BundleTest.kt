package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.numericDouble
import io.kotest.property.checkAll
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.math.ceil
import kotlin.random.Random

/** Permits that are taken together, and answers that are recorded together, beside a client that does all one by one. */
class BundleTest :
    FunSpec({
        test("a client that takes permits together never sends more than one by one, but for what it holds") {
            checkAll(200, Arb.long(), Arb.numericDouble(1e3, 1e6)) { seed, perSecond ->
                val random = Random(seed)
                val together = limited(perSecond)
                var oneByOne = together.state
                var now = 1L
                var ahead = 0
                repeat(2000) {
                    now += random.nextLong((3 * SECOND / perSecond).toLong())
                    val taken = if (together.tryTake(now)) 1 else 0
                    val expected = oneByOne.tryTake(now)?.also { state -> oneByOne = state }
                    ahead += taken - (if (expected == null) 0 else 1)
                    ahead shouldBeInRange -held(perSecond)..held(perSecond)
                }
            }
        }

        test("at one moment many threads take all permits that are there, and no more") {
            checkAll(20, Arb.int(1, 50_000)) { permits ->
                val rate = limited(1e6)
                val now = permits * 1_000L
                val granted = AtomicInteger()
                List(4) {
                    thread { while (rate.tryTake(now)) granted.incrementAndGet() }
                }.forEach(Thread::join)
                granted.get() shouldBeInRange permits - 1..permits
            }
        }

        test("a slow client takes and records one by one, to the digit") {
            checkAll(100, Arb.long()) { seed ->
                val random = Random(seed)
                val rate = SendRate(SendRateSettings.STEADY, 0)
                var state = SendRateState(SendRateSettings.STEADY, 0)
                var now = 0L
                repeat(500) {
                    now += Bundle.NANOS + random.nextLong(SECOND / 20)
                    val answer = if (random.nextInt(10) == 0) RateOutcome.THROTTLED else RateOutcome.ACCEPTED
                    val expected = state.tryTake(now)
                    rate.tryTake(now) shouldBe (expected != null)
                    state = (expected ?: state).record(answer, now, now)
                    rate.record(answer, now, now)
                    rate.sendRate shouldBe state.sendRate.takeIf { state.enabled }
                    rate.measuredRate shouldBe state.measuredRate
                }
            }
        }

        test("no answer is lost: what is measured is what was sent") {
            checkAll(50, Arb.numericDouble(1e3, 1e5)) { perSecond ->
                val rate = limited(1e6)
                val step = SECOND / perSecond
                var sent = 0
                repeat((20 * perSecond).toInt()) {
                    val now = (sent++ * step).toLong()
                    rate.record(RateOutcome.ACCEPTED, now, now)
                }
                rate.measuredRate shouldBe (perSecond plusOrMinus perSecond / 50)
            }
        }

        test("a throttle finds all answers before it recorded, and the permits that were held given back") {
            checkAll(100, Arb.int(1, 400)) { answers ->
                val rate = limited(1e4)
                var oneByOne = rate.state
                val now = SECOND
                repeat(answers) {
                    rate.tryTake(now)
                    rate.record(RateOutcome.ACCEPTED, now, now)
                    oneByOne = oneByOne.tryTake(now)!!.record(RateOutcome.ACCEPTED, now, now)
                }
                rate.record(RateOutcome.THROTTLED, now, now)
                oneByOne = oneByOne.record(RateOutcome.THROTTLED, now, now)
                rate.sendRate shouldBe oneByOne.sendRate
                rate.state.tokensAt(now) shouldBe (oneByOne.tokensAt(now) plusOrMinus 1e-6)
            }
        }

        test("an exact client never takes two") {
            checkAll(50, Arb.long()) { seed ->
                val random = Random(seed)
                val settings = SendRateSettings.EXACT.with { minFillRate = 1e5 }
                val rate = SendRate(settings, 0)
                rate.record(RateOutcome.THROTTLED, 0, 0)
                var state = rate.state
                var now = 0L
                repeat(500) {
                    now += random.nextLong(100_000)
                    val expected = state.tryTake(now)
                    rate.tryTake(now) shouldBe (expected != null)
                    state = (expected ?: state).record(RateOutcome.ACCEPTED, now, now)
                    rate.record(RateOutcome.ACCEPTED, now, now)
                    rate.state.tokensAt(now) shouldBe state.tokensAt(now)
                }
            }
        }
    })

/** How many permits a client of this rate may hold at once. */
private fun held(perSecond: Double) = ceil(perSecond * secondsOf(Bundle.NANOS)).toInt() + 1

/** A steady limiter that is on, and sends [perSecond] from time 0 on whatever comes. */
private fun limited(perSecond: Double): SendRate {
    val settings = SendRateSettings.STEADY.with {
        minFillRate = perSecond
        minCapacity = perSecond / 10
    }
    return SendRate(settings, 0).apply { record(RateOutcome.THROTTLED, 0, 0) }
}
