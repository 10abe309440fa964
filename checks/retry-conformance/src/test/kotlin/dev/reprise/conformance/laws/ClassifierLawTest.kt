package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.FlowFace
import dev.reprise.conformance.MILLI
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.responses
import dev.reprise.core.Classifier
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryEvent.AttemptFailed
import dev.reprise.core.RetryEvent.CallSucceeded
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.flatMap
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.milliseconds

/** Counts what [rules] are asked. */
private class Counting(private val rules: Classifier) : Classifier {
    var failures = 0
    var results = 0

    override val resultScope: ResultScope get() = rules.resultScope

    override fun classifyFailure(failure: Throwable): Verdict? {
        failures++
        return rules.classifyFailure(failure)
    }

    override fun classifyResult(result: Any?): Verdict? {
        results++
        return rules.classifyResult(result)
    }
}

/** Law 5: a classifier is asked once about each outcome. */
class ClassifierLawTest :
    FunSpec({
        onFaces("a classifier is asked once about each outcome", Face.ALL) { face ->
            val step = Arb.element(0L, 20 * MILLI, 5_000 * MILLI).flatMap { responses(it) }
            checkAll(100, Arb.list(step, 1..5), Arb.element(0, 20, 100)) { steps, limit ->
                val rules = Counting(RetryPolicy.STANDARD.classifier)
                val trial = Trial(
                    RetryPolicy {
                        classifier = rules
                        maxAttempts = 4
                        if (limit > 0) attemptTimeout = limit.milliseconds
                    },
                )
                trial.end(face, ScriptedCall(steps))
                val told = trial.recorder.call.events
                withClue("$steps") {
                    rules.results + rules.failures shouldBe told.count { it is AttemptFailed || it is CallSucceeded }
                }
            }
        }

        test("a classifier is asked once about each failure: flow") {
            val rules = Counting(RetryPolicy.STANDARD.classifier)
            val trial = Trial(RetryPolicy { classifier = rules })
            trial.end(FlowFace, ScriptedCall(listOf(RESET, RESET, FINE)))
            (rules.failures to rules.results) shouldBe (2 to 0)
        }
    })
