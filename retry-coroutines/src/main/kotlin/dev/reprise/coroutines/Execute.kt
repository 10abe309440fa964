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

/**
 * Runs a call that has [begun]: does what it wants next, and reports back, until it is done. One place that suspends, and
 * below 325 bytes, so that it is inlined: otherwise what the call throws unwinds one frame more (150 ns).
 */
@Suppress("UNCHECKED_CAST")
private suspend fun <T, R> execute(begun: RetryCall, block: suspend (Attempt) -> T): R {
    var call = begun
    while (call.next != NextStep.DONE) {
        var failure: Throwable? = null
        val result =
            try {
                step(call, block)
            } catch (e: Throwable) {
                failure = e
                null
            }
        call = report(call, block, result, failure, currentCoroutineContext()) ?: return result as R
    }
    call.failure()?.let { throw it }
    return call.value() as R
}

private suspend fun <T> step(call: RetryCall, block: suspend (Attempt) -> T): Any? =
    if (call.next == NextStep.ATTEMPT) call.attempt(block) else stepBetween(call, block)

/** Reports what a step of [call] came to. Returns the call to go on with; `null` if [result] is accepted. */
@Suppress("UNCHECKED_CAST")
private fun <T> report(
    call: RetryCall,
    block: suspend (Attempt) -> T,
    result: Any?,
    failure: Throwable?,
    context: CoroutineContext,
): RetryCall? {
    if (result === REPORTED) return call
    if (failure != null && call.next != NextStep.ATTEMPT) return call.broke(failure)
    val work = block as? SuspendAttempt<T>
    var reported = call
    return try {
        if (failure == null) {
            reported = call.completed(result, work?.repeatable) ?: return null
        } else {
            val thrown = meaningOf(failure, context)
            val verdict = if (thrown == Thrown.FAILURE) work?.verdictOn(failure) else null
            reported = call.failed(failure, thrown, work?.repeatable, verdict)
        }
        if (reported.next != NextStep.DONE) {
            context.ensureActive()
            work?.beforeRetry(failure, result as T?, reported.delayNanos)
        }
        reported
    } catch (e: Throwable) {
        reported.broke(e)
    }
}

/** Waits, takes a send permit, or discards a result, and reports it. A call that does so is its own object, and stays it. */
@Suppress("UNCHECKED_CAST")
internal suspend fun <T> stepBetween(call: RetryCall, block: (suspend (Attempt) -> T)?): Any {
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
    return REPORTED
}

/** A step that has been reported already. */
private object REPORTED
