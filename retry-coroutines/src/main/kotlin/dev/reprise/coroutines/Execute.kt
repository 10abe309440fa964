package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.layers.Moments
import dev.reprise.coroutines.shell.SuspendAttempt
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The suspend shell. `docs/research/shells.md` shows it beside the others.
 */

/** Runs [block], a [SuspendAttempt] if it is more than that, as [Retrier.invoke] does. */
@ShellApi
public suspend fun <T> RetrierSetup.call(options: CallOptions, block: suspend (Attempt) -> T): T =
    execute(begin(options, block, currentCoroutineContext(), asOutcome = false), block)

/** [call] that returns how the call ended, as [Retrier.outcome] does. */
@ShellApi
public suspend fun <T> RetrierSetup.outcome(options: CallOptions, block: suspend (Attempt) -> T): RetryOutcome<T> =
    execute(begin(options, block, currentCoroutineContext(), asOutcome = true), block)

private fun RetrierSetup.begin(
    options: CallOptions,
    block: Any,
    context: CoroutineContext,
    asOutcome: Boolean,
): RetryCall {
    context.ensureActive()
    return begin(options.within(context), if (block is SuspendAttempt<*>) block.kind else ResultKind.VALUE, asOutcome)
}

/** Runs a call that has [begun]: does what it wants next, and reports back, until it is done. */
@Suppress("UNCHECKED_CAST")
private suspend fun <T, R> execute(begun: RetryCall, block: suspend (Attempt) -> T): R {
    var call = begun
    val madeAt = Moments.next()
    while (call.next != NextStep.DONE) {
        try {
            if (call.next != NextStep.ATTEMPT) {
                stepBetween(call, block)
                continue
            }
            val end = try {
                started(call, block)
            } catch (e: Throwable) {
                Ended(e, 0)
            }
            val failure = (end as? Ended)?.failure
            val result = if (end is Ended) (end as? Returned)?.result as T else end as T
            val isMarked = call.isMarked(failure ?: result)
            val from = (end as? Ended)?.from ?: 0
            val scope = if (isMarked) SuspendScope.of(madeAt, from, currentCoroutineContext()) else null
            if (failure == null) {
                call = call.completed(result, scope = scope) ?: return result as R
            } else {
                val thrown = meaningOf(failure, currentCoroutineContext())
                // The caller's cancellation decides, not the exception in answer to it.
                if (thrown == Thrown.FAILURE) currentCoroutineContext().ensureActive()
                val verdict = if (thrown == Thrown.FAILURE) (block as? SuspendAttempt<T>)?.verdictOn(failure) else null
                call = call.failed(failure, thrown, verdict, scope)
            }
            if (call.next != NextStep.DONE) currentCoroutineContext().ensureActive()
        } catch (e: Throwable) {
            call = call.broke(e)
        }
    }
    call.madeIn(SuspendScope(madeAt, 0, 0, currentCoroutineContext()))
    call.failure()?.let { throw it }
    return call.value() as R
}

/** What an attempt threw; if it never suspended, it ran on this thread [from] that moment. */
private open class Ended(val failure: Throwable?, val from: Long)

/** What an attempt returned with a mark. */
private class Returned(val result: Any?, from: Long) : Ended(failure = null, from)

/** Makes one attempt of [call]. Returns its result, or how it [Ended]; an attempt that had suspended throws. */
@Suppress("UNCHECKED_CAST")
private suspend fun <T> started(call: RetryCall, block: suspend (Attempt) -> T): Any? =
    suspendCoroutineUninterceptedOrReturn { own ->
        val from = Moments.now()
        // Called from here, so that what it throws is caught where it is thrown (67 ns of a failure).
        try {
            val end = if (call.isPlain && block !is SuspendAttempt) {
                (block as (Attempt, Continuation<T>) -> Any?)(call.attemptStarts(), own as Continuation<T>)
            } else {
                val work: suspend () -> T = { call.attempt(block) }
                (work as (Continuation<T>) -> Any?)(own as Continuation<T>)
            }
            if (end === COROUTINE_SUSPENDED || !call.isMarked(end)) end else Returned(end, from)
        } catch (e: Throwable) {
            Ended(e, from)
        }
    }

/** Waits, takes a send permit, asks the work, or discards a result, and reports it. A call that does so is its own object, and stays it. */
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

        NextStep.REPEAT -> {
            call.repeats(work?.mayRepeat() ?: true)
            if (!call.hasEnded) work?.beforeRetry(call.lastFailure, call.lastResult as T?, call.delayNanos)
        }

        NextStep.ATTEMPT, NextStep.DONE -> error("$call is between no attempts")
    }
}
