package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.ScriptedCall
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import kotlin.time.Duration.Companion.milliseconds

/** Law 7: what begins now has the policy of now. */
class PolicyOfNowLawTest :
    FunSpec({
        onFaces("a call that begins after an update has the new policy", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD)
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.retrier.update(RetryPolicy { maxAttempts = 2 })
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.retrier.update(RetryPolicy.NONE)
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.recorder.calls.map { it.attempts } shouldContainExactly listOf(3, 2, 1)
        }

        onFaces("a call that has begun keeps its policy", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD)
            trial.time.after(1.milliseconds) { trial.retrier.update(RetryPolicy.NONE) }
            trial.end(face, ScriptedCall(listOf(resetAfter(2))))
            trial.recorder.call.attempts shouldBe 3
        }
    })
