package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.RetryCall
import kotlinx.coroutines.currentCoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The suspend shell. `docs/shells.md` shows it beside the others.
 */

/**
 * Runs a call that has [begun]: does what it wants next, and reports back, until it is done.
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
                call = call.failed(e, currentCoroutineContext())
                continue
            }
        if (result !== Between) call = call.completed(result, currentCoroutineContext()) ?: return result as R
    }
    call.failure()?.let { throw it }
    return call.value() as R
}

/** Does the next step, and returns what the attempt did, or [Between] for a step between two attempts. */
private suspend fun <T> step(call: RetryCall, block: suspend (Attempt) -> T): Any? = when (call.next) {
    NextStep.ATTEMPT -> call.attempt(block)
    NextStep.WAIT, NextStep.PERMIT -> stepBetween(call, call.setup as RetrierSetup)
    NextStep.DISCARD, NextStep.DONE -> error("nothing to discard: the results are plain values")
}

/** Waits, or takes a send permit, and reports it. A call that does so is its own object, and stays it. */
private suspend fun stepBetween(call: RetryCall, setup: RetrierSetup): Any {
    try {
        if (call.next == NextStep.WAIT) {
            setup.waiter.await(call.delayNanos.nanoseconds)
            call.waited()
        } else {
            setup.line!!.acquire(call)
        }
    } catch (e: Throwable) {
        call.broke(e)
    }
    return Between
}

/** No attempt has ended. */
private object Between
