package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.RetryCall
import kotlinx.coroutines.currentCoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The suspend shell. `docs/research/shells.md` shows it beside the others.
 */

/**
 * Runs a call that has [begun]: does what it wants next, and reports back, until it is done. What an attempt throws is its
 * failure; what a wait throws ends the call.
 *
 * One place that suspends, and small: so the compiler puts it, with the block, into its caller. Kotlin keeps a place for
 * every variable of this function in each call that waits, so there are few.
 */
@Suppress("UNCHECKED_CAST")
internal suspend fun <T, R> execute(begun: RetryCall, block: suspend (Attempt) -> T): R {
    var call = begun
    while (call.next != NextStep.DONE) {
        val result =
            try {
                step(call, block)
            } catch (e: Throwable) {
                call = if (call.next == NextStep.ATTEMPT) call.failed(e, currentCoroutineContext()) else call.broke(e)
                continue
            }
        call =
            if (call.next == NextStep.ATTEMPT) {
                call.completed(result, currentCoroutineContext()) ?: return result as R
            } else {
                call.stepEnded(result)
            }
    }
    call.failure()?.let { throw it }
    return call.value() as R
}

/**
 * Does the next step, and returns what it came to: of an attempt its result. Every branch ends with the call of what may
 * suspend, so that a call which waits holds nothing of this function.
 */
private suspend fun <T> step(call: RetryCall, block: suspend (Attempt) -> T): Any? = when (call.next) {
    NextStep.ATTEMPT -> call.attempt(block)
    NextStep.WAIT -> (call.setup as RetrierSetup).waiter.await(call.delayNanos.nanoseconds)
    NextStep.PERMIT -> permitFor(call)
    NextStep.DISCARD, NextStep.DONE -> error("nothing to discard: the results are plain values")
}

private suspend fun permitFor(call: RetryCall): Any =
    (call.setup as RetrierSetup).line!!.acquire(call.setup.policy.onNoPermit, call.deadlineAt)

/** Reports that a wait is over, or that asking for a permit came to [result]. Returns the call to go on with. */
private fun RetryCall.stepEnded(result: Any?): RetryCall = try {
    if (next == NextStep.WAIT) waited() else (setup as RetrierSetup).line!!.report(result as Long, this)
    this
} catch (e: Throwable) {
    broke(e)
}
