package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Shell
import dev.reprise.core.TestCall
import dev.reprise.core.Verdict
import dev.reprise.core.shell.time.MILLI
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

private class Failed(val verdict: Verdict) : IOException()

/** A client learns from its calls how long an attempt takes, and whether copies help. */
class HedgeLearningTest :
    FunSpec({
        fun shell(hedge: Hedge) = Shell(
            RetryPolicy {
                maxAttempts = 2
                backoff = Backoff.IMMEDIATE
                classifier = Classifier.failures { (it as? Failed)?.verdict }
                this.hedge = hedge
            },
            quota = null,
        )

        val learnt = Hedge(maxExtraLoad = 1.0)

        fun Shell.called(vararg ends: Any?): TestCall = begin().also { call ->
            for (end in ends) {
                call.begins()
                call.race()
                now += 80 * MILLI
                call.ended(end)
            }
        }

        /** The delay of the next call's copy, or null if not enough is known. */
        fun Shell.delay(): Long? = begin().let {
            it.begins()
            it.race()?.delayNanos
        }

        fun delayAfter(vararg ends: Any?): Long? = shell(learnt).run {
            repeat(100) { called(*ends) }
            delay()
        }

        test("a first attempt that is accepted, or cut off, says how long one takes; one that fails does not") {
            delayAfter("good")!!.shouldBeBetween(71 * MILLI, 91 * MILLI)
            delayAfter(Failed(Verdict.TIMEOUT), Failed(Verdict.Reject))!!.shouldBeBetween(71 * MILLI, 91 * MILLI)
            delayAfter(Failed(Verdict.Reject)).shouldBeNull()
            delayAfter(Failed(Verdict.TRANSIENT), Failed(Verdict.Reject)).shouldBeNull()
            delayAfter(Failed(Verdict.TRANSIENT), "good").shouldBeNull()
        }

        test("a copy that answers for a first execution that is slow says how slow, at least; not if that had failed") {
            fun delayAfter(firstFails: Boolean): Long = shell(learnt).run {
                repeat(100) { called("good") }
                repeat(300) {
                    val call = begin()
                    call.begins()
                    val race = call.race()!!
                    if (race.copyStarts() == null) return@repeat call.ended(Failed(Verdict.Reject))
                    now += 400 * MILLI
                    if (firstFails) race.threw(false, Failed(Verdict.TRANSIENT), Thrown.FAILURE, null) shouldBe false
                    race.returned(true, "copy") shouldBe true
                    call.ended("copy")
                }
                now += 2_000 * MILLI
                delay()!!
            }
            delayAfter(firstFails = true).shouldBeBetween(71 * MILLI, 91 * MILLI)
            delayAfter(firstFails = false).shouldBeBetween(360 * MILLI, 460 * MILLI)
        }

        test("copies that win are paid for again and again; copies that lose, or whose outcome is no good, are not") {
            fun copies(end: (HedgeRace) -> Any): Int = shell(Hedge.after(10.milliseconds, maxExtraLoad = 1.0)).run {
                (1..200).count {
                    val call = begin()
                    call.begins()
                    val race = call.race()!!
                    val hasCopy = race.copyStarts() != null
                    if (hasCopy) call.ended(end(race)) else call.ended("good")
                    hasCopy
                }
            }
            copies { race -> "copy".also { race.returned(true, it) } } shouldBe 200
            copies { race -> "first".also { race.returned(false, it) } } shouldBeLessThan 60
            copies { race ->
                Failed(Verdict.Reject).also { race.threw(true, it, Thrown.FAILURE, null) }
            } shouldBeLessThan 60
        }
    })
