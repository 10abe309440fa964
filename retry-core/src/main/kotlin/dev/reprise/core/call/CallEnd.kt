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
 * How a call ended: a function of the last state and the machine's [decision]. Makes the outcome of what the last attempt
 * gave, with the trace of how it came about; once. Confined to its call.
 */
internal class CallEnd(
    private val setup: CallSetup,
    private val state: RetryState,
    private val attempts: Int,
    val decision: Decision,
    private val history: CallHistory,
    /** Proves that the call gave up, although it could have retried; `null` if it did not. */
    private val mark: GiveUpMark?,
) {
    /** What the call throws instead of what its last attempt gave; `null` unless something came in the way. */
    var thrown: Throwable? = null

    /** Whether the caller cancelled the call, by [thrown]. */
    var isCancelled = false

    /** The verdict on the last attempt, if that is why the call ended. */
    var verdict: Verdict? = null

    private var outcome: RetryOutcome<Any?>? = null

    private val isAccepted get() = decision is Decision.Accept

    val reason: StopReason get() = (decision as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS

    /** How the call ended after its last attempt gave, or [threw][lastThrew], [last]. What it throws carries the trace. */
    fun outcome(last: Any?, lastThrew: Boolean): RetryOutcome<Any?> =
        outcome ?: outcome(last, lastThrew, trace(last)).also { outcome = it }

    private fun outcome(last: Any?, lastThrew: Boolean, trace: RetryTrace?): RetryOutcome<Any?> {
        val waited = state.totalDelayNanos
        val failure = thrown ?: if (lastThrew) last as Throwable else null
        if (isAccepted && failure == null) return RetryOutcome.Success(last, attempts, waited, trace)
        val throwsResult = failure == null && setup.policy.onBadResult == OnBadResult.THROW
        val carrier = if (throwsResult) BadResultException(last, attempts, reason) else failure
        (trace ?: mark?.let(::BareMark))?.let { carrier?.carryThroughCopies(it) }
        if (failure == null) return RetryOutcome.BadResult(last, attempts, waited, reason, trace, carrier, mark)
        return RetryOutcome.Failure(failure, attempts, waited, reason, trace, mark)
    }

    /** The trace, or `null` if the policy wants none, or it would hold no more than one accepted attempt. */
    private fun trace(last: Any?): RetryTrace? {
        if (!setup.policy.trace || isCancelled || (isAccepted && attempts == 1)) return null
        val final = if (isAccepted || attempts == 0) null else FailedAttempt(attempts, last, delayAfterLast())
        val failures = history.failures() + listOfNotNull(final)
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
        return verdict?.let { setup.whyStopped(reason, it, result, failure, state.options.operation) }
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
