package dev.reprise.core.call

import dev.reprise.core.BadResultException
import dev.reprise.core.FailedAttempt
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.RetryState

/**
 * How a call ended: a function of the last state and the machine's [decision]. Says what the caller gets for what the last
 * attempt gave, with the trace of how it came about; the same objects each time. Confined to its call.
 */
internal class CallEnd(
    private val setup: CallSetup,
    private val state: RetryState,
    private val attempts: Int,
    val decision: Decision,
    private val history: CallHistory?,
) {
    /** What the call throws instead of what its last attempt gave; `null` unless something came in the way. */
    var thrown: Throwable? = null

    /** Whether the caller cancelled the call, by [thrown]. */
    var isCancelled = false

    private var failure: Throwable? = null
    private var trace: RetryTrace? = null

    private val isAccepted get() = decision is Decision.Accept
    private val waited get() = state.totalDelayNanos

    val reason: StopReason get() = (decision as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS

    /** What the call throws after [last], with its trace; `null` if it returns that. */
    fun failure(last: Any?, lastThrew: Boolean): Throwable? {
        if (isCancelled) return thrown
        failure?.let { return it }
        val throwsResult = setup.policy.onBadResult == OnBadResult.THROW && !isAccepted
        val failure =
            thrown
                ?: (if (lastThrew) last as Throwable else null)
                ?: (if (throwsResult) BadResultException(last, attempts, reason) else return null)
        trace(last)?.let { failure.carry(it) }
        this.failure = failure
        return failure
    }

    fun outcome(last: Any?, lastThrew: Boolean): RetryOutcome<Any?> {
        val failure = failure(last, lastThrew)
        val isBadResult = !isAccepted && !lastThrew && thrown == null
        return when {
            isBadResult -> RetryOutcome.BadResult(last, attempts, waited, reason, trace(last), failure)
            failure != null -> RetryOutcome.Failure(failure, attempts, waited, reason, trace(last))
            else -> RetryOutcome.Success(last, attempts, waited, trace(last))
        }
    }

    /** The trace, or `null` if the policy wants none, or it would hold no more than one accepted attempt. */
    private fun trace(last: Any?): RetryTrace? {
        if (!setup.policy.trace || isCancelled || (isAccepted && attempts == 1)) return null
        trace?.let { return it }
        val failures = history?.failures().orEmpty()
        val final = if (isAccepted || attempts == 0) null else FailedAttempt(attempts, last, delayAfterLast())
        val trace =
            RetryTrace(
                setup.name,
                attempts,
                reason,
                waited,
                elapsedNanos(),
                listOfNotNull(final).let {
                    failures +
                        it
                },
            )
        this.trace = trace
        return trace
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
