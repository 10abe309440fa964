package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.Recorder
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Verdict
import dev.reprise.core.repeated
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.io.IOException
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.milliseconds

private val ACCEPTED = RateOutcome.ACCEPTED
private val THROTTLED = RateOutcome.THROTTLED
private val FAILED = RateOutcome.FAILED

private class Failure(val verdict: Verdict) : IOException("$verdict")

/** A send rate that keeps what it is told: the outcome of an attempt, when it was sent and when it ended. */
private class ToldRate : SendRate(SendRateSettings.EXACT, 0) {
    val told = mutableListOf<Triple<RateOutcome, Long, Long>>()
    var permits = Int.MAX_VALUE

    override fun tryTake(now: Long): Boolean = (permits > 0).also { if (it) permits-- }

    override fun putBack() {
        permits++
    }

    override fun record(outcome: RateOutcome, sentAt: Long, now: Long) {
        told += Triple(outcome, sentAt, now)
    }
}

/** The send rate hears of each execution that was sent, once; and no permit is lost. */
class AdaptiveCallTest :
    FunSpec({
        class World(listener: RetryListener? = null, change: RetryPolicyBuilder.() -> Unit = {}) {
            var now = 1L
            val rate = ToldRate()
            val quota = RetryQuota(500)
            private val policy = RetryPolicy {
                backoff = Backoff.fixed(100.milliseconds)
                classifier = Classifier.failures { (it as? Failure)?.verdict }
                sendRate = SendRateSettings.EXACT
                change()
            }
            private val setup = object : CallSetup(policy, quota, rate, listOfNotNull(listener), { now }, { 1.0 }) {
                override fun takesPermit(now: Long) = rate.tryTake(now)
            }
            var call = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE)

            /** The next attempt begins, after all that comes before it. */
            fun begins(): Attempt {
                while (call.next != NextStep.ATTEMPT) {
                    if (call.next == NextStep.WAIT) {
                        now += call.delayNanos
                        call.waited()
                    } else {
                        rate.tryTake(now) shouldBe true
                        call.permitted(0)
                    }
                }
                return call.attemptStarts()
            }

            fun ends(outcome: Any) {
                when (outcome) {
                    is Throwable -> call = call.failed(outcome, Thrown.meaningOf(outcome)).repeated()
                    else -> call.completed(outcome)?.repeated()
                }
            }
        }

        test("accepted, throttled and failed attempts are told with the time at which each was sent") {
            for (listener in listOf(null, Recorder())) {
                val world = World(listener) { maxAttempts = 4 }
                for (end in listOf(Failure(Verdict.THROTTLING), Failure(Verdict.TRANSIENT), "good")) {
                    world.begins()
                    world.now += 7
                    world.ends(end)
                }
                val second = 1 + 7 + 100_000_000L
                val third = second + 7 + 100_000_000L
                withClue("listener $listener") {
                    world.rate.told shouldContainExactly listOf(
                        Triple(THROTTLED, 1L, 8L),
                        Triple(FAILED, second, second + 7),
                        Triple(ACCEPTED, third, third + 7),
                    )
                }
            }
        }

        test("a call that is accepted at once is told like any other; what is rejected has failed") {
            val good = World()
            good.begins()
            good.now = 5
            good.ends("good")
            good.rate.told shouldContainExactly listOf(Triple(ACCEPTED, 1L, 5L))
            val bad = World()
            bad.begins()
            bad.ends(Failure(Verdict.Reject))
            bad.rate.told.map { it.first } shouldContainExactly listOf(FAILED)
        }

        test("a cancelled attempt tells nothing, and a permit whose attempt did not begin comes back") {
            val during = World()
            during.begins()
            during.ends(CancellationException())
            during.rate.told shouldBe emptyList()

            val before = World(Recorder())
            before.rate.permits = 3
            before.call.next shouldBe NextStep.PERMIT
            before.rate.tryTake(1) shouldBe true
            before.call.permitted(0)
            before.rate.permits shouldBe 2
            before.call.broke(CancellationException())
            before.rate.permits shouldBe 3
        }

        test("so does the permit of a call that nobody watches, which has no object of its own") {
            for (begins in listOf(false, true)) {
                val world = World()
                val granted = world.rate.permits
                if (begins) world.begins()
                world.call = world.call.broke(CancellationException())
                world.call.next shouldBe NextStep.DONE
                world.rate.permits shouldBe if (begins) granted else granted + 1
            }
        }

        fun raced(listener: RetryListener? = null) = World(listener) {
            maxAttempts = 2
            hedge = Hedge.after(10.milliseconds, maxExtraLoad = 1.0)
        }

        /** The race of a first attempt whose copy follows after 10 ms. */
        fun World.race(): HedgeRace {
            begins()
            val race = call.race()!!
            now += race.delayNanos
            return race
        }

        test("of two executions each is told once, with its own time of sending") {
            val first = 1L
            val copy = 10_000_001L
            val end = 10_000_006L
            // Whose end came first, of whom, and which one is the attempt's.
            val throttle = Failure(Verdict.THROTTLING)
            val fault = Failure(Verdict.TRANSIENT)
            val cases = listOf(
                Triple(
                    false to throttle,
                    true to "good",
                    setOf(Triple(THROTTLED, first, end), Triple(ACCEPTED, copy, end)),
                ),
                Triple(
                    true to throttle,
                    false to "good",
                    setOf(Triple(THROTTLED, copy, end), Triple(ACCEPTED, first, end)),
                ),
                Triple(
                    false to throttle,
                    true to fault,
                    setOf(Triple(THROTTLED, first, end), Triple(FAILED, copy, end)),
                ),
                Triple(
                    true to throttle,
                    false to fault,
                    setOf(Triple(THROTTLED, copy, end), Triple(FAILED, first, end)),
                ),
            )
            for ((sooner, later, told) in cases) {
                val world = raced()
                val race = world.race()
                race.copyStarts()
                world.now = end
                fun tell(isCopy: Boolean, outcome: Any) = when (outcome) {
                    is Throwable -> race.threw(isCopy, outcome, Thrown.FAILURE, null)
                    else -> race.returned(isCopy, outcome)
                }
                tell(sooner.first, sooner.second) shouldBe false
                tell(later.first, later.second) shouldBe true
                world.ends(if (race.hasCopyWon == later.first) later.second else sooner.second)
                withClue("$sooner, then $later") {
                    world.rate.told.size shouldBe 2
                    world.rate.told.toSet() shouldBe told
                }
            }
        }

        test("an execution that is cut off, since the other was accepted, is not told") {
            val world = raced()
            val race = world.race()
            race.copyStarts()
            race.returned(isCopy = true, "good") shouldBe true
            world.ends("good")
            world.rate.told shouldContainExactly listOf(Triple(ACCEPTED, 10_000_001L, 10_000_001L))
        }

        test("a copy takes a permit; without one it is not sent, and has cost nothing") {
            val paid = raced()
            paid.rate.permits = 2
            paid.race().copyStarts()!!.isCopy shouldBe true
            paid.rate.permits shouldBe 0

            val heard = Recorder()
            val poor = raced(heard)
            poor.rate.permits = 1
            val race = poor.race()
            poor.rate.permits = 0
            race.copyStarts().shouldBeNull()
            heard.events.last().shouldBeInstanceOf<RetryEvent.HedgeRefused>().reason shouldBe HedgeRefusal.SEND_RATE
            poor.quota.available(null) shouldBe 500
            poor.rate.permits = 1
            race.copyStarts()!!.isCopy shouldBe true
        }

        test("a result that the classifier judges a throttle is told as one") {
            val world = World {
                maxAttempts = 1
                classifier = Classifier.results { if (it == "slow down") Verdict.THROTTLING else null }
            }
            world.begins()
            world.ends("slow down")
            world.rate.told.map { it.first } shouldContainExactly listOf(THROTTLED)
        }
    })
