package dev.reprise.core.shell.call

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.Recorder
import dev.reprise.core.Repeat
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.Shell
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.CallPlace
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.quota.newQuota
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.enum
import io.kotest.property.checkAll
import java.io.IOException
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.milliseconds

private const val MILLIS = 1_000_000L

/** The end of one execution of an attempt. */
private sealed interface Finish

private data object Good : Finish

private class Bad(val verdict: Verdict) :
    IOException("$verdict"),
    Finish

private val ends: Arb<Finish> = arbitrary { random ->
    val delays =
        listOf(null, ServerDelay.exactly(-1), ServerDelay.exactly(50 * MILLIS), ServerDelay.exactly(900 * MILLIS))
    when (random.random.nextInt(5)) {
        0 -> Good

        1 -> Bad(Verdict.Reject)

        else -> {
            val kind = listOf(FailureKind.TRANSIENT, FailureKind.THROTTLING).random(random.random)
            Bad(Verdict.Retry(kind, "bad", unsent = false, delays.random(random.random)))
        }
    }
}

private val Finish.retry: Verdict.Retry? get() = (this as? Bad)?.verdict as? Verdict.Retry
private val Finish.asks: Long get() = retry?.serverDelay?.nanos ?: -1
private val Finish.forbids: Boolean get() = (retry?.serverDelay?.nanos ?: 0) < 0
private val Finish.isThrottle: Boolean get() = retry?.kind == FailureKind.THROTTLING

/** Whether the copy's end [b] is the attempt's, where both executions failed and the first one's end is [a]. */
private fun copyCounts(a: Finish, b: Finish): Boolean = when {
    a.forbids != b.forbids -> b.forbids
    a.asks != b.asks -> b.asks > a.asks
    else -> b.isThrottle && !a.isThrottle
}

/** A scope in which every call was made. */
private object Everywhere : AttemptScope() {
    override fun holds(place: CallPlace) = true

    override fun place() = CallPlace(0)
}

/** The rules by which one of two executions of an attempt becomes its outcome, and what becomes of the copy's price. */
class HedgeRaceTest :
    FunSpec({
        fun policy(load: Double = 1.0) = RetryPolicy {
            maxAttempts = 3
            backoff = Backoff.fixed(100.milliseconds)
            classifier = Classifier.failures { (it as? Bad)?.verdict }
            hedge = Hedge.after(10.milliseconds, load)
        }

        fun HedgeRace.told(isCopy: Boolean, end: Finish): Boolean = when (end) {
            is Good -> returned(isCopy, "good", Everywhere)
            is Bad -> threw(isCopy, end, Thrown.FAILURE, null, Everywhere)
        }

        fun Shell.called() = begin().let {
            it.begins()
            it.ended("good")
        }

        test("of two ends the first that is final counts; of two failures that may be retried the one that says most") {
            checkAll(2000, ends, ends, Arb.boolean()) { first, copy, copyIsSooner ->
                val shell = Shell(policy())
                val full = shell.quota!!.available(null)
                val price = shell.policy.quota!!.cost
                val call = shell.begin()
                call.begins()
                val race = call.race()!!
                race.delayNanos shouldBe 10 * MILLIS
                shell.now += race.delayNanos
                val attempt = race.copyStarts()!!
                attempt.number shouldBe 2
                attempt.isCopy shouldBe true
                shell.quota.available(null) shouldBe full - price

                val order = if (copyIsSooner) {
                    listOf(true to copy, false to first)
                } else {
                    listOf(false to first, true to copy)
                }
                val (sooner, later) = order
                val isOverAtOnce = race.told(sooner.first, sooner.second)
                isOverAtOnce shouldBe (sooner.second.retry == null)
                if (!isOverAtOnce) race.told(later.first, later.second) shouldBe true
                val copyWins = when {
                    isOverAtOnce -> sooner.first
                    later.second.retry == null -> later.first
                    else -> copyCounts(first, copy)
                }
                val winner = if (copyWins) copy else first
                withClue("$first, then $copy; winner $winner") {
                    race.hasCopyWon shouldBe copyWins
                    call.ended(if (winner is Bad) winner else "good")
                    val left = full - shell.quota.available(null)
                    when {
                        winner is Good -> {
                            call.reason shouldBe StopReason.SUCCESS
                            left shouldBe 0
                        }

                        winner.retry == null || winner.forbids -> {
                            call.reason shouldBe StopReason.REJECTED
                            left shouldBe price
                        }

                        else -> {
                            call.reason.shouldBeNull()
                            val asked = winner.asks
                            call.delayNanos shouldBe if (asked >= 0) asked else 100 * MILLIS
                            left shouldBe price + shell.policy.quota!!.costOf(winner.retry!!.kind)
                            call.race().shouldBeNull()
                        }
                    }
                }
            }
        }

        test(
            "if both fail and a retrier below gave up on either, no retry follows, unless the policy retries what was retried",
        ) {
            fun givenUp() = Bad(Verdict.TRANSIENT).also {
                it.addSuppressed(GiveUpMark(GiveUps.next(), place = CallPlace(0)))
            }
            checkAll(Arb.boolean(), Arb.boolean(), Arb.enum<WhenRetriedBelow>()) { isOnCopy, copyIsSooner, setting ->
                val call = Shell(policy().with { whenRetriedBelow = setting }).begin()
                call.begins()
                val race = call.race()!!
                race.copyStarts()!!
                val others = Bad(Verdict.THROTTLING)
                val marked = givenUp()
                fun end(isCopy: Boolean) = race.told(isCopy, if (isCopy == isOnCopy) marked else others)
                end(copyIsSooner) shouldBe false
                end(!copyIsSooner) shouldBe true
                val stops = setting == WhenRetriedBelow.STOP
                race.hasCopyWon shouldBe (isOnCopy == stops)
                call.ended(if (stops) marked else others)
                call.reason shouldBe StopReason.RETRIED_BELOW.takeIf { stops }
            }
        }

        test("a cancelled execution ends the race, and the call as cancelled") {
            val shell = Shell(policy())
            val call = shell.begin()
            call.begins()
            val race = call.race()!!
            race.copyStarts()!!
            val cancelled = CancellationException()
            race.threw(false, cancelled, Thrown.CANCELLATION, null) shouldBe true
            race.hasCopyWon shouldBe false
            call.ended(cancelled)
            call.reason shouldBe StopReason.CANCELLED
        }

        test("a limit that fires when the race is over is a failure of its own, whatever the winner came to") {
            checkAll(200, ends) { winner ->
                val retriesLimits = policy().with {
                    classifier = Classifier.failures { (it as? Bad)?.verdict ?: Verdict.TIMEOUT }
                }
                val call = Shell(retriesLimits).begin()
                call.begins()
                val race = call.race()!!
                race.copyStarts()!!
                race.told(true, winner)
                call.ended(AttemptTimeoutException(1, MILLIS))
                call.reason shouldBe null
            }
        }

        test("a first execution that fails before its copy was sent ends the race, whatever it fails with") {
            checkAll(200, ends) { end ->
                val call = Shell(policy()).begin()
                call.begins()
                val race = call.race()!!
                race.told(false, end) shouldBe true
                race.hasCopyWon shouldBe false
            }
        }

        test("a copy is refused for a budget that is empty, a quota less than half full and a server that is busy") {
            val heard = Recorder()
            fun refusal(shell: Shell): HedgeRefusal {
                val call = shell.begin()
                call.begins()
                call.race()!!.copyStarts().shouldBeNull()
                return heard.events.last().shouldBeInstanceOf<RetryEvent.HedgeRefused>().reason
            }

            refusal(Shell(policy(load = 0.5), listOf(heard))) shouldBe HedgeRefusal.BUDGET
            val poor = Shell(policy(), listOf(heard))
            while (poor.quota!!.available(null) >= 250) poor.quota.tryTake(14, null)
            val left = poor.quota.available(null)
            refusal(poor) shouldBe HedgeRefusal.QUOTA
            poor.quota.available(null) shouldBe left
            val busy = Shell(policy(), listOf(heard))
            val call = busy.begin()
            call.begins()
            call.race()
            call.ended(Bad(Verdict.THROTTLING))
            refusal(busy) shouldBe HedgeRefusal.SERVER_BUSY
            busy.now += 2_000 * MILLIS
            val after = busy.begin()
            after.begins()
            after.race()!!.copyStarts()!!.number shouldBe 2
        }

        test("a server that throttles the execution that the call does not see is left alone too") {
            checkAll(Arb.boolean(), Arb.boolean()) { isCopyThrottled, isThrottle ->
                val heard = Recorder()
                val shell = Shell(policy(), listOf(heard))
                val call = shell.begin()
                call.begins()
                val race = call.race()!!
                race.copyStarts()!!
                race.told(isCopyThrottled, Bad(if (isThrottle) Verdict.THROTTLING else Verdict.TRANSIENT))
                race.told(!isCopyThrottled, Good) shouldBe true
                call.ended("good")
                repeat(2) { shell.called() }
                val next = shell.begin()
                next.begins()
                (next.race()!!.copyStarts() == null) shouldBe isThrottle
                if (isThrottle) {
                    heard.events.last().shouldBeInstanceOf<RetryEvent.HedgeRefused>().reason shouldBe
                        HedgeRefusal.SERVER_BUSY
                }
            }
        }

        test("work that may not be repeated, and every attempt after the first, has no race") {
            val shell = Shell(policy())
            for (repeat in listOf(Repeat.NEVER, Repeat.IF_UNSENT)) {
                val call = shell.begin(CallOptions { this.repeat = repeat })
                call.begins()
                call.race().shouldBeNull()
            }
            val call = shell.begin()
            call.ends(Bad(Verdict.TIMEOUT))
            call.begins()
            call.race().shouldBeNull()
        }

        test("a listener hears of the copy, its price, its victory and what came back, in this order") {
            val heard = Recorder()
            val shell = Shell(policy(), listOf(heard))
            val call = shell.begin()
            call.begins()
            val race = call.race()!!
            shell.now += race.delayNanos
            race.copyStarts()
            race.returned(isCopy = true, "good") shouldBe true
            call.ended("good")
            heard.events.map { it.javaClass.simpleName }.filter { "Hedge" in it || "Quota" in it } shouldContainExactly
                listOf("QuotaTaken", "HedgeStarted", "HedgeWon", "QuotaRefunded")
            shell.quota!!.available(null) shouldBe shell.quota.capacity
        }

        // A quota that gives back only the tokens of retries that were not made.
        val ratio = RatioQuotaSettings {
            percent = 0
            perSecond = 1
        }

        fun frugal(heard: Recorder): Shell {
            var shell: Shell? = null
            val settings = policy().with { quota = ratio }
            return Shell(settings, listOf(heard), ratio.newQuota({ shell?.now ?: 0 })).also { shell = it }
        }

        fun Shell.withCopy(end: Any) {
            val call = begin()
            call.begins()
            val race = call.race()!!
            now += race.delayNanos
            race.copyStarts()!!
            when (end) {
                is Throwable -> race.threw(isCopy = true, end, Thrown.FAILURE, null)
                else -> race.returned(isCopy = true, end)
            } shouldBe true
            call.ended(end)
        }

        test(
            "the tokens of a copy that was sent are spent: none of them comes back for a call that is cancelled later",
        ) {
            val heard = Recorder()
            val shell = frugal(heard)
            shell.withCopy(Bad(Verdict.Reject))
            shell.now += 15_000 * MILLIS
            val cancelled = shell.begin()
            cancelled.ends(Bad(Verdict.TIMEOUT))
            cancelled.broke(CancellationException())
            heard.events.filterIsInstance<RetryEvent.QuotaRefunded>().map { it.tokens } shouldBe listOf(100)
            shell.quota!!.available shouldBe 1_000
        }

        test("the success of a call with a copy gives back nothing that another call has taken") {
            val heard = Recorder()
            val shell = frugal(heard)
            val waiting = shell.begin()
            waiting.ends(Bad(Verdict.TIMEOUT))
            shell.withCopy("good")
            waiting.broke(CancellationException())
            heard.events.filterIsInstance<RetryEvent.QuotaRefunded>().map { it.tokens } shouldBe listOf(100)
            shell.quota!!.available shouldBe 900
        }

        test("a success gives back the tokens of the last retry and of the copy before it") {
            val shell = Shell(policy())
            val call = shell.begin()
            call.begins()
            val race = call.race()!!
            shell.now += race.delayNanos
            race.copyStarts()!!
            race.told(true, Bad(Verdict.TIMEOUT))
            race.told(false, Bad(Verdict.TIMEOUT)) shouldBe true
            call.ended(Bad(Verdict.TIMEOUT))
            call.begins()
            shell.quota!!.available shouldBe 500 - 14 - 14
            call.ended("good")
            shell.quota.available shouldBe 500
        }
    })
