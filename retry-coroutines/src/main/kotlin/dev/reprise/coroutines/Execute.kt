package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.ResultKind
import dev.reprise.core.call.RetryCall
import dev.reprise.core.call.Thrown
import dev.reprise.core.shell.ShellApi
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The suspend shell. `docs/research/shells.md` shows it beside the others.
 */

/** Runs [block], a [SuspendAttempt] if it is more than that, as [Retrier.invoke] does. */
@ShellApi
public suspend fun <T> RetrierSetup.call(options: CallOptions, block: suspend (Attempt) -> T): T {
    val context = currentCoroutineContext()
    context.ensureActive()
    return execute(begin(options.within(context), kindOf(block)), block)
}

/** [call] that returns how the call ended, as [Retrier.outcome] does. */
@ShellApi
public suspend fun <T> RetrierSetup.outcome(options: CallOptions, block: suspend (Attempt) -> T): RetryOutcome<T> {
    val context = currentCoroutineContext()
    context.ensureActive()
    return execute(beginOutcome(options.within(context), kindOf(block)), block)
}

private fun kindOf(block: Any): ResultKind = if (block is SuspendAttempt<*>) block.kind else ResultKind.VALUE

/** Runs a call that has [begun]: does what it wants next, and reports back, until it is done. */
@Suppress("UNCHECKED_CAST")
private suspend fun <T, R> execute(begun: RetryCall, block: suspend (Attempt) -> T): R {
    var call = begun
    while (call.next != NextStep.DONE) {
        try {
            if (call.next == NextStep.ATTEMPT) {
                val result = call.attempt(block)
                call = call.completed(result, block, currentCoroutineContext()) ?: return result as R
            } else {
                stepBetween(call, block)
            }
        } catch (e: Throwable) {
            call =
                if (call.next == NextStep.ATTEMPT) call.failed(e, block, currentCoroutineContext()) else call.broke(e)
        }
    }
    return call.result() as R
}

/** Waits, takes a send permit, or discards a result, and reports it. A call that does so is its own object, and stays it. */
@Suppress("UNCHECKED_CAST")
internal suspend fun <T> stepBetween(call: RetryCall, block: (suspend (Attempt) -> T)?) {
    val setup = call.setup as RetrierSetup
    val work = block as? SuspendAttempt<T>
    when (call.next) {
        NextStep.WAIT -> {
            val delay = call.delayNanos.nanoseconds
            if (work == null) setup.waiter.await(delay) else work.around { setup.waiter.await(delay) }
            call.waited()
        }

        NextStep.PERMIT -> if (work == null) setup.line!!.acquire(call) else work.around { setup.line!!.acquire(call) }

        NextStep.DISCARD -> {
            work!!.discard(call.rejected() as T)
            call.discarded()
        }

        NextStep.ATTEMPT, NextStep.DONE -> error("$call is between no attempts")
    }
}

/** Reports that an attempt of [block] in [context] threw [failure]. Returns the call to go on with. */
private fun <T> RetryCall.failed(
    failure: Throwable,
    block: suspend (Attempt) -> T,
    context: CoroutineContext,
): RetryCall {
    val thrown = meaningOf(failure, context)
    val verdict =
        try {
            if (thrown == Thrown.FAILURE && block is SuspendAttempt) block.verdictOn(failure) else null
        } catch (e: Throwable) {
            return broke(e)
        }
    return unlessSpent(block).failed(failure, thrown, verdict).goesOn(block, null, failure, context)
}

/** Reports that an attempt of [block] in [context] returned [result]. Returns `null` if that is accepted, else like [failed]. */
private fun <T> RetryCall.completed(result: T, block: suspend (Attempt) -> T, context: CoroutineContext): RetryCall? =
    unlessSpent(block).completed(result)?.goesOn(block, result, null, context)

private fun RetryCall.unlessSpent(block: Any): RetryCall =
    if (block is SuspendAttempt<*> && block.isSpent) forGood() else this

/** This call; ended if it would go on but for the cancelled coroutine of [context]. Tells [block] of a retry. */
private fun <T> RetryCall.goesOn(
    block: suspend (Attempt) -> T,
    result: T?,
    failure: Throwable?,
    context: CoroutineContext,
): RetryCall = try {
    if (next != NextStep.DONE) {
        context.ensureActive()
        if (block is SuspendAttempt) block.beforeRetry(failure, result, delayNanos)
    }
    this
} catch (e: Throwable) {
    broke(e)
}

private fun RetryCall.result(): Any? {
    failure()?.let { throw it }
    return value()
}
