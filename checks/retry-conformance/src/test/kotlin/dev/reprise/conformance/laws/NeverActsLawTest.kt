package dev.reprise.conformance.laws

import dev.reprise.conformance.MILLI
import dev.reprise.conformance.Scenario
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.Step
import dev.reprise.conformance.SuspendFace
import dev.reprise.conformance.Trace
import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

/** Rules of a policy about time, in ms; `null` for none. */
private data class Rules(val hedge: Int?, val attempt: Int?, val deadline: Int?, val stop: Int?, val wait: Int) {
    val policy: RetryPolicy
        get() = RetryPolicy {
            maxAttempts = 10
            noQuota()
            backoff = if (wait == 0) Backoff.IMMEDIATE else Backoff.fixed(wait.milliseconds)
            hedge = this@Rules.hedge?.let { Hedge.after(it.milliseconds, maxExtraLoad = 1.0) }
            attemptTimeout = attempt?.milliseconds
            deadline = this@Rules.deadline?.milliseconds
            stopAfter = stop?.milliseconds
        }

    /** All that can be seen of calls under these rules. */
    val seen: List<String> by lazy { TAKES.map { "${play(it)}" } }

    private fun play(millis: Int): Trace {
        val step = Step(takesNanos = millis * MILLI) { IOException("reset") }
        return SuspendFace.play(Scenario("any", policy, listOf(ScriptedCall(listOf(step)))))
    }

    private companion object {
        /** How long each attempt of a call takes before it fails, in ms: between any two limits, and longer than all. */
        val TAKES = listOf(0, 5, 15, 100)
    }
}

private val rules = arbitrary {
    val limits = Arb.element(10, 20).orNull(0.4)
    Rules(limits.bind(), limits.bind(), limits.bind(), limits.bind(), Arb.element(0, 10, 20).bind())
}

/** Law 5: a rule that can never act is refused, or its retrier warns; each other one acts in some call. */
class NeverActsLawTest :
    FunSpec({
        test("a rule about time acts in some call, or the policy is refused or warns") {
            checkAll(300, rules) { rules ->
                val isRefused = runCatching { rules.policy }.isFailure
                // One copy would come when the attempt is over.
                isRefused shouldBe
                    (rules.hedge != null && rules.hedge >= minOf(rules.attempt ?: 99, rules.deadline ?: 99))
                val checked = if (isRefused) rules.copy(hedge = null) else rules
                val warnings = checked.policy.warnings
                fun warns(begin: String) = warnings.any { it.startsWith(begin) }
                val makesNone = warns("a call has")
                withClue({ "$checked, which warns $warnings" }) {
                    checked.seen.any { "attempt 2 starts" in it } shouldBe !makesNone
                    if (checked.hedge != null) checked.seen shouldBeOther checked.copy(hedge = null).seen
                    // Equal limits end a call alike, and are meant.
                    if (checked.attempt != null && checked.attempt != checked.deadline) {
                        (checked.seen == checked.copy(attempt = null).seen) shouldBe warns("the attempt timeout")
                    }
                    if (checked.stop != null && checked.stop != checked.deadline && !makesNone) {
                        (checked.seen == checked.copy(stop = null).seen) shouldBe warns("the stopAfter")
                    }
                }
            }
        }
    })

private infix fun List<String>.shouldBeOther(other: List<String>) = (this == other) shouldBe false
