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
 *     mustWait, await; isOver? end           then RetryCall.attemptStarts; all of them are `enter`
 *     attempt                                outside a try of their own: nothing but this
 *     acceptsFirst                           a first attempt that succeeds ends here
 *     judge                                  `failed` or `completed`
 */

/** Runs [call] to its end. Answers the ended call; throws only cancellation. */
@PublishedApi
internal suspend fun <T> Retrier.execute(call: RetryCall, block: suspend (Attempt) -> T): RetryCall {
    while (enter(call)) {
        val result =
            try {
                attempt(call, block)
            } catch (e: Throwable) {
                failed(call, call.setup, call.options, e, currentCoroutineContext())
                continue
            }
        completed(call, call.setup, call.options, result, currentCoroutineContext())
    }
    return call
}

/** A call that has begun. */
internal fun start(setup: CallSetup, options: CallOptions): RetryCall = RetryCall(setup, options).also { it.begin() }

/**
 * A call that has begun, or `null` if nothing needs to know of it before its first attempt fails.
 * For those who write a shell.
 */
public fun Retrier.begin(setup: CallSetup, options: CallOptions): RetryCall? =
    if (setup.isPlain) null else start(setup, options)

/** Stands before an attempt: waits for what must be waited for and begins it, or answers that the call is over. */
@PublishedApi
internal suspend fun Retrier.enter(call: RetryCall): Boolean {
    // The wait is a function of its own, so that a call that need not wait keeps no frame here.
    return if (mustWait(call)) awaitAndEnter(call) else beginAttempt(call)
}

private suspend fun Retrier.awaitAndEnter(call: RetryCall): Boolean {
    await(call)
    return beginAttempt(call)
}

private fun beginAttempt(call: RetryCall): Boolean {
    if (call.isOver) return false
    call.attemptStarts()
    return true
}

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
): RetryCall = if (failure == null) {
    completed(ongoing, setup, options, result, context)
} else {
    failed(ongoing, setup, options, failure, context)
}

/** [judge] of an attempt that threw. */
@PublishedApi
internal fun failed(
    ongoing: RetryCall?,
    setup: CallSetup,
    options: CallOptions,
    failure: Throwable,
    context: CoroutineContext,
): RetryCall {
    if (failure is CancellationException && !(failure is TimeoutCancellationException && context.isActive)) {
        ongoing?.cancelled()
        throw failure
    }
    val call = ongoing ?: RetryCall(setup, options)
    val isTimeout = failure is TimeoutCancellationException
    call.failed(failure, otherwise = if (isTimeout) Verdict.TIMEOUT else Verdict.Reject)
    return call.also { goesOnOnlyIfActive(it, context) }
}

/** [judge] of an attempt that returned [result]. */
@PublishedApi
internal fun completed(
    ongoing: RetryCall?,
    setup: CallSetup,
    options: CallOptions,
    result: Any?,
    context: CoroutineContext,
): RetryCall {
    val call = ongoing ?: RetryCall(setup, options)
    call.completed(result)
    return call.also { goesOnOnlyIfActive(it, context) }
}

private fun goesOnOnlyIfActive(call: RetryCall, context: CoroutineContext) {
    if (call.isOver || context.isActive) return
    call.cancelled()
    context.ensureActive()
}
