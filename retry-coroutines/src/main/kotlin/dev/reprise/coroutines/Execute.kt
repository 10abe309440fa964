package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.CallSetup
import dev.reprise.core.RetryCall
import dev.reprise.core.backoff.UNLIMITED_NANOS
import dev.reprise.core.classify.Verdict
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The suspend shell. `execute` is the loop in full, and what every shell looks like; `Retrier.invoke` is the same loop
 * inlined into its caller, for calls that run against no clock. Both take the same named steps, which follow it here, and
 * so does every shell elsewhere that suspends:
 *
 *     begin                                  `null` while nobody needs to know of the call
 *     mustWait, await; isOver? end           then RetryCall.attemptStarts
 *     attempt                                outside a try of their own: nothing but this
 *     acceptsFirst                           a first attempt that succeeds ends here
 *     judge
 */

/** Runs one call to its end. Answers the ended call; throws only cancellation. */
@PublishedApi
internal suspend fun <T> Retrier.execute(
    setup: CallSetup,
    options: CallOptions,
    block: suspend (Attempt) -> T,
): RetryCall {
    var call = start(setup, options)
    while (true) {
        if (mustWait(call)) await(call)
        if (call.isOver) return call
        call.attemptStarts()
        var result: T? = null
        var failure: Throwable? = null
        try {
            result = attempt(call, block)
        } catch (e: Throwable) {
            failure = e
        }
        call = judge(call, setup, options, result, failure, currentCoroutineContext())
    }
}

/** A call that has begun. */
private fun start(setup: CallSetup, options: CallOptions): RetryCall = RetryCall(setup, options).also { it.begin() }

/**
 * A call that has begun, or `null` if nothing needs to know of it before its first attempt fails.
 * For those who write a shell.
 */
public fun Retrier.begin(setup: CallSetup, options: CallOptions): RetryCall? =
    if (setup.isPlain) null else start(setup, options)

/**
 * Whether something stands before the next step of [call]: a delay, or a send permit that was not there at once; one that
 * was there is taken. For those who write a shell.
 */
public fun Retrier.mustWait(call: RetryCall): Boolean =
    call.delayNanos > 0 || (!call.isOver && call.setup.sendRate != null && line?.tryAcquire() == false)

/**
 * Waits the backoff, then for a send permit. Afterwards [call] may be over. Cancellation is told to the call and goes on.
 * For those who write a shell.
 */
public suspend fun Retrier.await(call: RetryCall) {
    try {
        if (call.delayNanos > 0) {
            waiter.await(call.delayNanos)
            if (call.isOver || call.setup.sendRate == null || line?.tryAcquire() != false) return
        }
        val waited = line!!.acquire(call.setup.policy.onNoPermit, call.deadlineAt)
        if (waited >= 0) call.permitted(waited) else call.permitRefused()
    } catch (e: CancellationException) {
        call.cancelled()
        throw e
    }
}

/**
 * One attempt of [call], for no longer than its policy lets it. Only a timeout that was set here becomes a failure:
 * [AttemptTimeoutException]. For those who write a shell.
 */
public suspend fun <T> attempt(call: RetryCall, block: suspend (Attempt) -> T): T {
    val limit = call.timeLeftNanos
    if (limit == UNLIMITED_NANOS) return block(call)
    val done = withTimeoutOrNull(limit.nanoseconds) { Done(block(call)) }
    return (done ?: throw AttemptTimeoutException(call.number, limit)).value
}

/** Tells a result that is `null` from an attempt that timed out. */
private class Done<T>(val value: T)

/**
 * What the end of an attempt means: the call is over, or another attempt follows. Makes the call if [ongoing] is `null`.
 * Cancellation of [context] is told to the call and thrown at once, and so is every [CancellationException] that is not a
 * timeout inside the attempt. For those who write a shell.
 */
public fun judge(
    ongoing: RetryCall?,
    setup: CallSetup,
    options: CallOptions,
    result: Any?,
    failure: Throwable?,
    context: CoroutineContext,
): RetryCall {
    if (failure is CancellationException && !(failure is TimeoutCancellationException && context.isActive)) {
        ongoing?.cancelled()
        throw failure
    }
    val call = ongoing ?: RetryCall(setup, options)
    when (failure) {
        null -> call.completed(result)
        is TimeoutCancellationException -> call.failed(failure, otherwise = Verdict.TIMEOUT)
        else -> call.failed(failure)
    }
    if (!call.isOver && !context.isActive) {
        call.cancelled()
        context.ensureActive()
    }
    return call
}
