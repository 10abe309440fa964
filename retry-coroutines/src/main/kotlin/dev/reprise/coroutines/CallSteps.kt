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

/**
 * The suspend shell: the named steps of calls that begin with the same setup and options. For those who write a shell.
 *
 * [execute] is the loop in full, and what every shell looks like; [Retrier.invoke] is the same loop inlined into its caller,
 * for calls that run against no clock:
 *
 * ```
 * begin, sendTime                `null` while nobody needs to know of the call
 * mustWait, await, waitEnded     the backoff, then the send permit
 * attemptBegins                  `false`: the call is over
 * attempt                        stands in a try of its own, with nothing else in it
 * accepts                        a first attempt that succeeds ends here
 * failed, completed              the call is over, or another attempt follows
 * ```
 *
 * One object holds what a call runs with, because Kotlin writes every variable of a coroutine to memory before each
 * attempt. Immutable and thread-safe; a retrier has one for all calls without options of their own.
 */
public class CallSteps internal constructor(
    private val retrier: Retrier,
    /** What the calls share. */
    public val setup: CallSetup,
    /** What the caller said. */
    public val options: CallOptions,
) {
    /** Whether attempts run against a clock: then only [execute] and [attempt] keep their limits. */
    @PublishedApi
    internal val isTimed: Boolean = setup.policy.isTimed

    /**
     * A call that has begun, or `null` if nothing needs to know of it before its first attempt fails; a send permit that
     * was there is taken then.
     */
    public fun begin(): RetryCall? = if (setup.isPlain || (setup.isMetered && takesPermit())) null else beginWatched()

    private fun takesPermit() = retrier.line?.tryAcquire() != false

    /** The time of the first attempt that follows, if it is metered and there is no [call] that would note it. */
    public fun sendTime(call: RetryCall?): Long =
        if (call == null && setup.isAdaptive) setup.clock.nanoTime() else RetryCall.NEVER

    /** A call that has begun. */
    internal fun beginWatched(): RetryCall = RetryCall(setup, options).also { it.begin() }

    /** Runs [call] to its end. Answers the ended call; throws only cancellation. */
    @PublishedApi
    internal suspend fun <T> execute(call: RetryCall, block: suspend (Attempt) -> T): RetryCall {
        while (true) {
            if (mustWait(call)) {
                try {
                    await(call)
                } catch (e: Throwable) {
                    throw waitEnded(call, e)
                }
            }
            if (!attemptBegins(call)) return call
            val result =
                try {
                    attempt(call, block)
                } catch (e: Throwable) {
                    failed(call, RetryCall.NEVER, e, currentCoroutineContext())
                    continue
                }
            completed(call, RetryCall.NEVER, result, currentCoroutineContext())
        }
    }

    /**
     * Whether something stands before the next step of [call]: a delay, or a send permit that was not there at once; one
     * that was there is taken.
     */
    public fun mustWait(call: RetryCall): Boolean =
        call.delayNanos > 0 || (setup.isAdaptive && !call.isOver && !takesPermit())

    /**
     * Waits the backoff, then for a send permit. Afterwards [call] may be over. What it throws goes through [waitEnded].
     *
     * Catches nothing and waits last, so that it needs no frame of its own: a call that waits holds 90 bytes less.
     */
    public suspend fun await(call: RetryCall) {
        if (setup.isAdaptive) awaitPermit(call) else retrier.waiter.await(call.delayNanos)
    }

    private suspend fun awaitPermit(call: RetryCall) {
        if (call.delayNanos > 0) {
            retrier.waiter.await(call.delayNanos)
            if (call.isOver || takesPermit()) return
        }
        val waited = retrier.line!!.acquire(setup.policy.onNoPermit, call.deadlineAt)
        if (waited >= 0) call.permitted(waited) else call.permitRefused()
    }

    /** What goes on of [failure], which ended a wait of [call] before its time. Cancellation is told to the call. */
    public fun waitEnded(call: RetryCall, failure: Throwable): Throwable {
        if (failure is CancellationException) call.cancelled()
        return failure
    }

    /** Begins the next attempt of [call], or answers that the call is over. */
    public fun attemptBegins(call: RetryCall): Boolean {
        if (call.isOver) return false
        call.attemptStarts()
        return true
    }

    /**
     * One attempt of [call], for no longer than its policy lets it. Only a timeout that was set here becomes a failure:
     * [AttemptTimeoutException].
     */
    public suspend fun <T> attempt(call: RetryCall, block: suspend (Attempt) -> T): T {
        val limit = call.timeLeftNanos
        if (limit == UNLIMITED_NANOS) return block(call)
        val done = withTimeoutOrNull(limit.nanoseconds) { Done(block(call)) }
        return (done ?: throw AttemptTimeoutException(call.number, limit)).value
    }

    /** Tells a result that is `null` from an attempt that timed out. */
    private class Done<T>(val value: T)

    /** Whether a first attempt, sent at [sentAt], that nobody looked on may end with [result]; then that is the end. */
    public fun accepts(result: Any?, sentAt: Long): Boolean = setup.acceptsFirst(result, sentAt)

    /**
     * What it means that the attempt threw [failure]: the call is over, or another attempt follows. Makes the call, of an
     * attempt sent at [sentAt], if [ongoing] is `null`. Cancellation of [context] is told to the call and thrown at once,
     * and so is every [CancellationException] that is not a timeout inside the attempt.
     */
    public fun failed(ongoing: RetryCall?, sentAt: Long, failure: Throwable, context: CoroutineContext): RetryCall {
        if (failure is CancellationException && !isInnerTimeout(failure, context)) {
            ongoing?.cancelled()
            throw failure
        }
        val call = ongoing ?: RetryCall(setup, options, sentAt)
        if (failure is TimeoutCancellationException) call.failed(failure, Verdict.TIMEOUT) else call.failed(failure)
        return call.also { goesOnOnlyIfActive(it, context) }
    }

    private fun isInnerTimeout(failure: CancellationException, context: CoroutineContext) =
        failure is TimeoutCancellationException && context.isActive

    /**
     * What it means that the attempt returned [result]: the call is over, or another attempt follows. Makes the call, of
     * an attempt sent at [sentAt], if [ongoing] is `null`. Cancellation of [context] is told to a call that would go on,
     * and thrown.
     */
    public fun completed(ongoing: RetryCall?, sentAt: Long, result: Any?, context: CoroutineContext): RetryCall {
        val call = ongoing ?: RetryCall(setup, options, sentAt)
        call.completed(result)
        return call.also { goesOnOnlyIfActive(it, context) }
    }

    private fun goesOnOnlyIfActive(call: RetryCall, context: CoroutineContext) {
        if (call.isOver || context.isActive) return
        call.cancelled()
        context.ensureActive()
    }

    override fun toString(): String = "CallSteps($retrier, $options)"
}
