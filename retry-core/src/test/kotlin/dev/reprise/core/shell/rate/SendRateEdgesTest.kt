package dev.reprise.core.shell.rate

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.WaitAtMost
import dev.reprise.core.shell.time.SECOND
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds

/** What mutants of this package survived: what a watcher is told, what goes on from where it was, and each end of a range. */
class SendRateEdgesTest :
    FunSpec({
        val second = SECOND

        /** A rate that was throttled once, a second after it had begun. */
        fun throttled(settings: SendRateSettings) = SendRate(settings, 0).also { rate ->
            for (i in 1L..100) rate.record(RateOutcome.ACCEPTED, i * second / 100, i * second / 100)
            rate.record(RateOutcome.THROTTLED, second, second)
        }

        test("a failure holds a steady rate until the next answer that is none, and never one of the SDKs'") {
            val steady = throttled(SendRateSettings.STEADY)
            steady.isHeld shouldBe false
            steady.record(RateOutcome.FAILED, 2 * second, 2 * second)
            steady.isHeld shouldBe true
            steady.record(RateOutcome.ACCEPTED, 3 * second, 3 * second)
            steady.isHeld shouldBe false
            val exact = throttled(SendRateSettings.EXACT)
            exact.record(RateOutcome.FAILED, 2 * second, 2 * second)
            exact.isHeld shouldBe false
        }

        test("a watcher is told of a hint that changes something, and of a permit that came back") {
            val rate = SendRate(SendRateSettings.STEADY, 0)
            val told = AtomicInteger()
            rate.watcherOr(
                object : RateWatcher {
                    override val isWaiting get() = false

                    override fun rateChanged() {
                        told.incrementAndGet()
                    }
                },
            )
            rate.hint(RateHint.of(0, 0), 0)
            told.get() shouldBe 0
            for (i in 1L..100) rate.record(RateOutcome.ACCEPTED, i * second / 100, i * second / 100)
            val before = told.get()
            rate.hint(RateHint.of(5, 10), 2 * second)
            told.get() shouldBe before + 1
            rate.sendRate shouldBe 0.5
            rate.putBack()
            told.get() shouldBe before + 2
        }

        test("other settings go on with the measurements, in place and in a rate of their own") {
            val rate = throttled(SendRateSettings.EXACT)
            rate.measuredRate shouldBeGreaterThan 0.0
            val own = rate.with(SendRateSettings.STEADY, 2 * second)
            own.settings shouldBe SendRateSettings.STEADY
            own.measuredRate shouldBe rate.measuredRate
            own.isOn shouldBe true
            rate.settings shouldBe SendRateSettings.EXACT
            val measured = rate.measuredRate
            rate.update(SendRateSettings.STEADY)
            rate.settings shouldBe SendRateSettings.STEADY
            rate.measuredRate shouldBe measured
        }

        test("other settings keep the curve of the same rule, and bend that of another") {
            val steady = throttled(SendRateSettings.STEADY)
            val rate = steady.sendRate
            steady.update(SendRateSettings.STEADY.with { quietSeconds = 10.0 })
            steady.sendRate shouldBe rate
            steady.tryTake(12 * second) shouldBe true
            steady.isOn shouldBe false
            val exact = throttled(SendRateSettings.EXACT)
            val top = exact.state.sendRate
            exact.update(SendRateSettings.STEADY)
            exact.state.sendRate shouldBe top
            exact.update(SendRateSettings.EXACT)
            exact.state.sendRate shouldBe top
        }

        test("who waits for a permit is told when the limiter goes off") {
            val rate = throttled(SendRateSettings.STEADY)
            var told = 0
            rate.watcherOr(
                object : RateWatcher {
                    override val isWaiting get() = true

                    override fun rateChanged() {
                        told++
                    }
                },
            )
            rate.tryTake(180 * second) shouldBe true
            told shouldBe 0
            rate.tryTake(200 * second) shouldBe true
            told shouldBe 1
            rate.isOn shouldBe false
        }

        test("a wait is as long as it takes, and the first moment at which a permit is there") {
            for (settings in listOf(SendRateSettings.EXACT, SendRateSettings.STEADY)) {
                val rate = throttled(settings)
                val now = 2 * second
                while (rate.tryTake(now)) Unit
                val wait = rate.waitNanos(now, ahead = 0)
                val second = rate.waitNanos(now, ahead = 1)
                withClue(settings) {
                    (wait > 0) shouldBe true
                    (second > wait) shouldBe true
                    rate.state.tryTake(now + wait - 1).shouldBeNull()
                    rate.state.tryTake(now + wait) shouldNotBe null
                }
            }
        }

        test("texts say what is in force") {
            val state = throttled(SendRateSettings.EXACT).toString()
            state.startsWith("SendRate(SendRateState(enabled=true, sendRate=") shouldBe true
            SendRateSettings.EXACT.toString() shouldBe
                "SendRateSettings(growth=cubic, beta=0.7, scale=0.4, minFillRate=0.5, minCapacity=1.0)"
            SendRateSettings.STEADY.toString() shouldBe "SendRateSettings(growth=steady, beta=0.9, scale=0.012, " +
                "minFillRate=0.1, minCapacity=1.0, quietSeconds=180.0, hints=cap)"
            RateHint.of(3, 4).toString() shouldBe "RateHint(remaining=3, seconds=4)"
            NoPermit.waitAtMost(5.milliseconds).toString() shouldBe "wait at most 5ms"
        }

        test("each end of each range is what its message says") {
            SendRateSettings { minCapacity = 1.0 }.minCapacity shouldBe 1.0
            SendRateSettings { quietSeconds = 86_400.0 }.quietSeconds shouldBe 86_400.0
            WaitAtMost(0).nanos shouldBe 0
            for (beta in listOf(0.0, 1.0)) {
                shouldThrow<IllegalArgumentException> { SendRateSettings { this.beta = beta } }
            }
            for (zero in listOf<SendRateSettings.Builder.() -> Unit>(
                { scale = 0.0 },
                { minFillRate = 0.0 },
                { quietSeconds = 0.0 },
                { quietSeconds = Math.nextUp(86_400.0) },
                { scale = Double.POSITIVE_INFINITY },
            )) {
                shouldThrow<IllegalArgumentException> { SendRateSettings(zero) }
            }
        }
    })
