package dev.reprise.conformance.laws

import dev.reprise.conformance.Ended
import dev.reprise.conformance.Face
import dev.reprise.conformance.MILLI
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.SuspendingFace
import dev.reprise.conformance.policies
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.DeadlineSource
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryEvent.CallGaveUp
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.within
import dev.reprise.coroutines.withDeadline
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.element
import io.kotest.property.checkAll
import java.time.Duration
import kotlin.time.AbstractLongTimeSource
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.DurationUnit

/** A classifier of one's own that has no mercy, or too much of it. */
private class Always(private val verdict: Verdict) : Classifier {
    override val resultScope get() = ResultScope.ANY

    override fun classifyFailure(failure: Throwable) = verdict

    override fun classifyResult(result: Any?) = verdict
}

private fun anyPolicy(): Arb<RetryPolicy> = Arb.choice(
    policies(),
    Arb.element(
        RetryPolicy.NONE,
        RetryPolicy.STANDARD,
        RetryPolicy.ADAPTIVE_STEADY,
        RetryPolicy.ANY_EXCEPTION,
        RetryPolicy { maxAttempts = 1 },
        RetryPolicy { rejectOn<RuntimeException>() },
        RetryPolicy { classifier = Always(Verdict.Reject) },
        RetryPolicy { classifier = Always(Verdict.TRANSIENT) },
        RetryPolicy { classifier = Always(Verdict.Accept) },
    ),
)

/** Makes [call] on [face] as work that has [millis] left. */
private fun Trial.endWithin(millis: Int, face: Face, call: ScriptedCall): Ended {
    val source = object : AbstractLongTimeSource(DurationUnit.NANOSECONDS) {
        override fun read() = time.nanoTime()
    }
    val end = runCatching {
        time.run {
            withDeadline(source.markNow() + millis.milliseconds) { (face as SuspendingFace).make(call, retrier, time) }
        }
    }
    return Ended.of(call.begun) {
        val value = end.getOrThrow()
        if (value is RetryOutcome<*>) value.getOrThrow() else value
    }
}

/** Law 3: a deadline is a deadline on every face. */
class DeadlineLawTest :
    FunSpec({
        fun endsUnbegun(trial: Trial, call: ScriptedCall, quota: RetryQuota, tokens: Int, ended: Ended) {
            call.begun shouldBe 0
            trial.told shouldContainExactly listOf("CallStarted", "CallGaveUp")
            val end = trial.recorder.call.ends.single() as CallGaveUp
            (end.reason to end.attempts) shouldBe (StopReason.DEADLINE to 0)
            quota.available shouldBe tokens
            trial.time.pending shouldBe 0
            val thrown = ended.thrown.shouldBeInstanceOf<RetryStoppedException>()
            thrown::class.simpleName shouldBe "DeadlineException"
            (thrown.reason to thrown.attempts) shouldBe (StopReason.DEADLINE to 0)
        }

        fun isCutOff(trial: Trial, ended: Ended) {
            trial.time.nanoTime() shouldBe 100 * MILLI
            (ended.thrown != null) shouldBe true
            trial.recorder.call.reason shouldBe StopReason.DEADLINE
        }

        onFaces("a call that begins after the deadline of a source makes no attempt", Face.EVERY) { face ->
            val left = Arb.element(0L, -1L, Long.MIN_VALUE)
            checkAll(60, anyPolicy(), Arb.element(0, 500), left) { policy, tokens, nanos ->
                val shared = RetryQuota(500, tokens)
                val trial = Trial(policy) {
                    quota = shared
                    deadlines = DeadlineSource { Duration.ofNanos(nanos) }
                }
                val call = ScriptedCall(listOf(RESET))
                withClue("$policy, $tokens tokens") { endsUnbegun(trial, call, shared, tokens, trial.end(face, call)) }
            }
        }

        onFaces("a call whose own deadline is over makes no attempt", Face.EVERY) { face ->
            val shared = RetryQuota(500, 500)
            val trial = Trial(RetryPolicy.STANDARD) { quota = shared }
            val call = ScriptedCall(listOf(FINE), CallOptions("late").within(0))
            endsUnbegun(trial, call, shared, 500, trial.end(face, call))
        }

        onFaces("a call that begins after withDeadline makes no attempt", Face.SUSPENDING) { face ->
            val shared = RetryQuota(500, 500)
            val trial = Trial(RetryPolicy.STANDARD) { quota = shared }
            val call = ScriptedCall(listOf(FINE))
            endsUnbegun(trial, call, shared, 500, trial.endWithin(0, face, call))
        }

        onFaces("an attempt that hangs is cut off at withDeadline", Face.SUSPENDING) { face ->
            val trial = Trial(RetryPolicy.STANDARD)
            isCutOff(trial, trial.endWithin(100, face, ScriptedCall(listOf(resetAfter(5_000)))))
        }

        onFaces("an attempt that hangs is cut off at the deadline of a source", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD) { deadlines = DeadlineSource { Duration.ofMillis(100) } }
            isCutOff(trial, trial.end(face, ScriptedCall(listOf(resetAfter(5_000)))))
        }

        onFaces("no wait begins that the deadline of a source would cut", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD) { deadlines = DeadlineSource { Duration.ofMillis(60) } }
            trial.end(face, ScriptedCall(listOf(resetAfter(30))))
            trial.recorder.call.reason shouldBe StopReason.DEADLINE
            trial.time.nanoTime() shouldBe 30 * MILLI
        }
    })
