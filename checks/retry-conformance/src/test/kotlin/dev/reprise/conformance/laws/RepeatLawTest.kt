package dev.reprise.conformance.laws

import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.ScriptedStages
import dev.reprise.conformance.ScriptedWork
import dev.reprise.conformance.Step
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.milliseconds

private typealias Form = (JavaRetrier, ScriptedCall, VirtualTime) -> Unit

private fun joined(time: VirtualTime, end: CompletableFuture<*>) {
    time.until { end.isDone }
}

private val OPTIONS = CallOptions("send")

/** Every form of a call whose work can say that it may not be repeated. */
private val FORMS = mapOf<String, Form>(
    "call" to { java, call, time -> java.withOptions(OPTIONS).callWithAttempt(ScriptedWork(call, time)) },
    "call interruptibly" to { java, call, time ->
        java.withOptions(OPTIONS).callInterruptiblyWithAttempt(ScriptedWork(call, time))
    },
    "outcome" to { java, call, time -> java.withOptions(OPTIONS).outcomeWithAttempt(ScriptedWork(call, time)) },
    "stage" to
        { java, call, time ->
            joined(time, java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedStages(call, time)))
        },
    "outcome of a stage" to { java, call, time ->
        joined(time, java.withOptions(OPTIONS).outcomeAsyncWithAttempt(ScriptedStages(call, time)))
    },
    "on an executor" to { java, call, time ->
        joined(time, java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedWork(call, time), time.executor))
    },
    "outcome on an executor" to { java, call, time ->
        joined(time, java.withOptions(OPTIONS).outcomeAsyncWithAttempt(ScriptedWork(call, time), time.executor))
    },
    "on the thread that submits" to { java, call, time ->
        joined(time, java.withOptions(OPTIONS).callAsyncWithAttempt(ScriptedWork(call, time), Runnable::run))
    },
)

/** Law 1: work that may not be repeated is not, on any form, whatever it came to and whatever the policy says. */
class RepeatLawTest :
    FunSpec({
        fun law(what: String, step: Step) {
            for ((name, form) in FORMS) {
                test("$what of work that may not be repeated ends the call: $name") {
                    for (takes in listOf(step, Step(step.result, 5, step.failure))) {
                        val trial = Trial(RetryPolicy.STANDARD)
                        val call = ScriptedCall(listOf(takes), mayRepeat = false)
                        runCatching {
                            form(JavaRetrier.sharing(trial.retrier, trial.time, trial.time.executor), call, trial.time)
                        }
                        call.begun shouldBe 1
                        trial.recorder.call.reason shouldBe StopReason.NOT_REPLAYABLE
                    }
                }
            }
        }
        law("a failure", RESET)
        law("a rejected result", BUSY)

        for ((name, form) in FORMS) {
            test("an attempt timeout of work that may not be repeated ends the call: $name") {
                val trial = Trial(RetryPolicy { attemptTimeout = 20.milliseconds })
                val call = ScriptedCall(listOf(resetAfter(100)), mayRepeat = false)
                runCatching {
                    form(JavaRetrier.sharing(trial.retrier, trial.time, trial.time.executor), call, trial.time)
                }
                call.begun shouldBe 1
                trial.recorder.call.reason shouldBe StopReason.NOT_REPLAYABLE
            }
        }
    })
