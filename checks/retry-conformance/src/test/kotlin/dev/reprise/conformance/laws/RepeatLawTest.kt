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

private const val EXECUTOR = "OnExecutor does not hand on mayRepeat"
private const val RESULTS = "BlockingLoop and AsyncLoop ask mayRepeat after failures only"

private val EXECUTORS = FORMS.keys.filter { "on an executor" in it || "thread that submits" in it }

/** Law 1: work that may not be repeated is not, on any form, whatever it came to and whatever the policy says. */
class RepeatLawTest :
    FunSpec({
        fun law(what: String, step: Step, notYet: Map<String, String>) {
            for ((name, form) in FORMS) {
                val check = {
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
                test("$what of work that may not be repeated ends the call: $name") {
                    val why = notYet[name]
                    if (why == null) check() else expectedToFail(why) { check() }
                }
            }
        }
        law("a failure", RESET, EXECUTORS.associateWith { EXECUTOR })
        law("a rejected result", BUSY, FORMS.keys.associateWith { RESULTS })

        for ((name, form) in FORMS) {
            test("an attempt timeout of work that may not be repeated ends the call: $name") {
                val check = {
                    val trial = Trial(RetryPolicy { attemptTimeout = 20.milliseconds })
                    val call = ScriptedCall(listOf(resetAfter(100)), mayRepeat = false)
                    runCatching {
                        form(JavaRetrier.sharing(trial.retrier, trial.time, trial.time.executor), call, trial.time)
                    }
                    call.begun shouldBe 1
                    trial.recorder.call.reason shouldBe StopReason.NOT_REPLAYABLE
                }
                if (name in EXECUTORS) expectedToFail(EXECUTOR) { check() } else check()
            }
        }
    })
