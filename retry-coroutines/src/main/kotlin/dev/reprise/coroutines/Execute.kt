package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.RetryCall
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive

/*
 * The suspend shell. `docs/shells.md` shows it beside the others.
 */

/**
 * Runs a call that has [begun]: does what it wants next, and reports back, until it is done.
 *
 * Kotlin keeps a place for every variable of this function in each call that waits, so there are few.
 */
@Suppress("UNCHECKED_CAST")
internal suspend fun <T, R> RetrierSetup.execute(begun: RetryCall, block: suspend (Attempt) -> T): R {
    var call = begun
    while (call.next != NextStep.DONE) {
        try {
            when (call.next) {
                NextStep.WAIT -> {
                    waiter.await(call.delayNanos)
                    call.waited()
                }

                NextStep.PERMIT -> line!!.acquire(call)

                NextStep.ATTEMPT -> {
                    val result =
                        try {
                            call.attempt(block)
                        } catch (e: Throwable) {
                            call = call.failed(e, meaningOf(e, currentCoroutineContext()))
                            if (call.next != NextStep.DONE) currentCoroutineContext().ensureActive()
                            continue
                        }
                    call = call.completed(result) ?: return result as R
                    if (call.next != NextStep.DONE) currentCoroutineContext().ensureActive()
                }

                NextStep.DISCARD, NextStep.DONE -> error("nothing to discard: the results are plain values")
            }
        } catch (e: Throwable) {
            call = call.broke(e)
        }
    }
    return call.result() as R
}
