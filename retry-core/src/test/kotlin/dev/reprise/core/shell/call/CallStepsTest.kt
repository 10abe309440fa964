package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.util.concurrent.CancellationException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** A call whose first result is bad and whose second one is good, and the quota that it pays from. */
private class Walk(val kind: ResultKind, wait: Duration, val isAdaptive: Boolean) {
    val quota = RetryQuota(500)
    var call: RetryCall = CallSetup(
        RetryPolicy {
            backoff = Backoff.fixed(wait)
            onNoPermit = NoPermit.Fail
            classifier = Classifier.results { if (it == "bad") Verdict.TIMEOUT else null }
        },
        quota,
        if (isAdaptive) SendRate(SendRateSettings.EXACT, 0) else null,
        emptyList(),
        { 0 },
        { 1.0 },
    ).begin(CallOptions.DEFAULT, kind)
    val discarded = mutableListOf<Any?>()
    private var attempts = 0

    /** Does the next step. Returns whether the call goes on. */
    fun one(): Boolean {
        when (call.next) {
            NextStep.WAIT -> call.waited()

            NextStep.PERMIT -> call.permitted(0)

            NextStep.DISCARD -> {
                discarded += call.rejected()
                call.discarded()
            }

            NextStep.ATTEMPT -> {
                call.attemptStarts()
                call = call.completed(if (++attempts == 1) "bad" else "good") ?: return false
            }

            NextStep.DONE -> return false
        }
        return true
    }

    override fun toString() = "$kind, ${if (isAdaptive) "adaptive, " else ""}after ${discarded.size} discards"
}

/** The next step of a call, for each kind of results, and the end of a call whose step breaks. */
class CallStepsTest :
    FunSpec({
        val walks = ResultKind.entries.flatMap { kind ->
            listOf(Duration.ZERO, 100.milliseconds).flatMap { wait ->
                listOf(false, true).map { Triple(kind, wait, it) }
            }
        }

        fun stepsOf(kind: ResultKind, wait: Duration, isAdaptive: Boolean) = buildList {
            if (isAdaptive) add(NextStep.PERMIT)
            add(NextStep.ATTEMPT)
            if (kind == ResultKind.CONNECTION || kind == ResultKind.RESPONSE) add(NextStep.DISCARD)
            if (wait > Duration.ZERO) add(NextStep.WAIT)
            if (isAdaptive) add(NextStep.PERMIT)
            if (kind == ResultKind.CLOSEABLE) add(NextStep.DISCARD)
            add(NextStep.ATTEMPT)
        }

        test("a connection is released before the wait, what is to be closed right before the next attempt") {
            for ((kind, wait, isAdaptive) in walks) {
                val walk = Walk(kind, wait, isAdaptive)
                val steps = mutableListOf<NextStep>()
                do steps += walk.call.next while (walk.one())
                withClue("$kind, $wait, $isAdaptive") {
                    steps shouldContainExactly stepsOf(kind, wait, isAdaptive)
                    walk.discarded shouldBe if (kind == ResultKind.VALUE) emptyList() else listOf("bad")
                    walk.quota.available(null) shouldBe 500
                }
            }
        }

        test(
            "a step that breaks ends the call with that exception, once; the retry costs nothing, and no result is lost",
        ) {
            for ((kind, wait, isAdaptive) in walks) {
                for ((index, step) in stepsOf(kind, wait, isAdaptive).withIndex()) {
                    if (step == NextStep.ATTEMPT) continue
                    for (thrown in listOf(CancellationException("gone"), InterruptedException(), Error("broken"))) {
                        val walk = Walk(kind, wait, isAdaptive)
                        repeat(index) { walk.one() }
                        walk.call.next shouldBe step
                        val hadBegun = step !in listOf(NextStep.PERMIT) || index > 0
                        walk.call = walk.call.broke(thrown)
                        while (walk.one()) Unit
                        withClue("$walk, $step, $thrown") {
                            walk.call.next shouldBe NextStep.DONE
                            walk.call.failure() shouldBeSameInstanceAs thrown
                            walk.discarded shouldBe
                                if (kind == ResultKind.VALUE || !hadBegun) emptyList() else listOf("bad")
                            walk.quota.available(null) shouldBe 500
                            val reason = if (thrown is Error) StopReason.REJECTED else StopReason.CANCELLED
                            val outcome = walk.call.outcome().shouldBeInstanceOf<RetryOutcome.Failure>()
                            outcome.reason shouldBe reason
                            outcome.attempts shouldBe if (hadBegun) 1 else 0
                        }
                    }
                }
            }
        }

        test("a permit that is refused ends the call with its last result, unless that is released") {
            for (kind in ResultKind.entries) {
                val walk = Walk(kind, 100.milliseconds, isAdaptive = true)
                while (walk.call.next != NextStep.PERMIT || walk.call.outcomeAttempts() == 0) walk.one()
                walk.call.permitRefused()
                withClue(kind) {
                    walk.call.next shouldBe NextStep.DONE
                    if (kind == ResultKind.CONNECTION) {
                        walk.call.failure()!!.javaClass.simpleName shouldBe "NoPermitException"
                    } else {
                        walk.call.failure().shouldBeNull()
                        walk.call.outcome()!!.attempts shouldBe 1
                    }
                    walk.quota.available(null) shouldBe 500
                }
            }
        }

        test("a report out of turn is a mistake of the shell, and told so") {
            val reports = listOf<Pair<NextStep, (RetryCall) -> Unit>>(
                NextStep.WAIT to { it.waited() },
                NextStep.PERMIT to { it.permitted(0) },
                NextStep.DISCARD to { it.discarded() },
                NextStep.PERMIT to { it.permitRefused() },
                NextStep.DISCARD to { it.rejected() },
                NextStep.ATTEMPT to { it.completed("bad") },
            )
            for ((kind, wait, isAdaptive) in walks) {
                val walk = Walk(kind, wait, isAdaptive)
                repeat(stepsOf(kind, wait, isAdaptive).size - 1) {
                    for ((step, report) in reports) {
                        val next = walk.call.next
                        // A call that has no object of its own yet knows only its first attempt.
                        if (step == next || (step == NextStep.ATTEMPT && next == NextStep.ATTEMPT)) continue
                        withClue("$walk wants $next, not $step") {
                            shouldThrow<IllegalStateException> { report(walk.call) }
                            walk.call.next shouldBe next
                        }
                    }
                    walk.one()
                }
            }
        }
    })

/** How many attempts have begun, as far as the call says. */
private fun RetryCall.outcomeAttempts(): Int = (this as? OwnCall)?.attempts ?: 0
