package dev.reprise.core.call

import dev.reprise.core.BadResultException
import dev.reprise.core.FailedAttempt
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.classify.Verdict
import dev.reprise.core.layers.BareMark
import dev.reprise.core.layers.GiveUpMark
import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.RetryState

/**
 * How a call ended: a function of the last state and the machine's [decision]. Makes the exception and the outcome
 * once, from the last attempt's result or exception, with the trace. Confined to its call.
 */
internal class CallEnd(
    private val setup: CallSetup,
    private val state: RetryState,
    private val attempts: Int,
    val decision: Decision,
    /** The verdict on the last attempt, if that is why the call ended. */
    private val verdict: Verdict?,
    private val history: CallHistory?,
    /** Proves that the call gave up, although it could have retried; `null` if it did not. */
    private val mark: GiveUpMark?,
) {
    /**
     * The exception that the call throws in place of the last attempt's result or exception; `null` if nothing
     * interfered.
     */
    var thrown: Throwable? = null

    /** Whether the caller cancelled the call, by [thrown]. */
    var isCancelled = false

    private var isTold = false
    private var trace: RetryTrace? = null
    private var failure: Throwable? = null

    private val isAccepted get() = decision is Decision.Accept

    val reason: StopReason get() = (decision as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS

    /**
     * The exception of the call after its last attempt returned or [threw][lastThrew] [last]; it carries the trace, or
     * a mark alone.
     */
    fun failure(last: Any?, lastThrew: Boolean): Throwable? {
        if (isTold) return failure
        isTold = true
        trace = trace(last)
        failure = thrown ?: when {
            lastThrew -> last as Throwable
            isAccepted || setup.policy.onBadResult != OnBadResult.THROW -> null
            else -> BadResultException(last, attempts, reason)
        }
        (trace ?: mark?.let(::BareMark))?.let { failure?.carryThroughCopies(it) }
        return failure
    }

    /** How the call ended after its last attempt gave, or [threw][lastThrew], [last]. */
    fun outcome(last: Any?, lastThrew: Boolean): RetryOutcome<Any?> {
        val failure = failure(last, lastThrew)
        val waited = state.totalDelayNanos
        return when {
            thrown != null || lastThrew -> RetryOutcome.Failure(failure!!, attempts, waited, reason, trace, mark)
            isAccepted -> RetryOutcome.Success(last, attempts, waited, trace)
            else -> RetryOutcome.BadResult(last, attempts, waited, reason, trace, failure, mark)
        }
    }

    /** The trace, or `null` if the policy wants none, or it would hold no more than one accepted attempt. */
    private fun trace(last: Any?): RetryTrace? {
        if (!setup.policy.trace || isCancelled || (isAccepted && attempts == 1)) return null
        val final = if (isAccepted || attempts == 0) null else FailedAttempt(attempts, last, delayAfterLast())
        val failures = history?.failures().orEmpty() + listOfNotNull(final)
        return RetryTrace(
            setup.name,
            attempts,
            reason,
            why(last),
            state.totalDelayNanos,
            elapsedNanos(),
            failures,
            mark,
        )
    }

    private fun why(last: Any?): String? {
        val failure = last as? Throwable
        val result = if (failure == null) last else null
        return verdict?.let { setup.whyStopped(reason, it, result, failure, state.options) }
    }

    /** The wait that followed the last attempt: it is in the state if the next attempt never began. */
    private fun delayAfterLast(): Long = if (state.attempt > attempts) state.delayNanos else 0

    /** How long the call took, or unknown: also when the clock throws, which must not cost the caller his result. */
    private fun elapsedNanos(): Long = try {
        if (state.isTimed) maxOf(setup.clock.nanoTime() - state.startedAt, RetryTrace.UNKNOWN) else RetryTrace.UNKNOWN
    } catch (_: Throwable) {
        RetryTrace.UNKNOWN
    }
}
