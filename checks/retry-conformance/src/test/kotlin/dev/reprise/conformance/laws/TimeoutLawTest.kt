package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.FlowFace
import dev.reprise.conformance.MILLI
import dev.reprise.conformance.ScriptedCall
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlin.time.Duration.Companion.milliseconds

private const val LIMIT = 50L

/** So long that no busy machine takes an attempt that was cut off for one that was not. */
private const val TAKES = 20_000L

/** Law 6: an attempt timeout ends an attempt. `SameThreadTest` of retry-java has the attempts that a thread holds up. */
class TimeoutLawTest :
    FunSpec({
        val once = RetryPolicy {
            maxAttempts = 1
            attemptTimeout = LIMIT.milliseconds
        }

        onFaces("an attempt is over at its limit", Face.EVERY - FlowFace) { face ->
            val trial = Trial(once)
            val ended = trial.end(face, ScriptedCall(listOf(resetAfter(TAKES))))
            trial.time.nanoTime() shouldBe LIMIT * MILLI
            ended.thrown.shouldBeInstanceOf<AttemptTimeoutException>()
        }
    })
