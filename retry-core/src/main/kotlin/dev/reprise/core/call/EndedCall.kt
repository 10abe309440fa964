package dev.reprise.core.call

import dev.reprise.core.BadResultException
import dev.reprise.core.FailedAttempt
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.carry
import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.RetryState

/** What a call that has ended gives: a value or an exception, with the trace of how it came about. */
internal class EndedCall(
    private val setup: CallSetup,
    private val state: RetryState,
    private val record: CallRecord,
    private val attempts: Int,
    private val last: Any?,
    private val lastThrew: Boolean,
) {
    private val end = record.end
    private val isAccepted = end === Decision.Accept
    private val reason: StopReason = (end as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS

    val isCancelled: Boolean get() = record.isCancelled

    fun outcome(): RetryOutcome<Any?> {
        val failure = failure()
        val isBadResult = !isAccepted && !lastThrew && record.thrown == null
        return when {
            isBadResult -> RetryOutcome.BadResult(last, attempts, state.totalDelayNanos, reason, trace(), failure)
            failure != null -> RetryOutcome.Failure(failure, attempts, state.totalDelayNanos, reason, trace())
            else -> RetryOutcome.Success(last, attempts, state.totalDelayNanos, trace())
        }
    }

    /** What the call throws, with its trace; `null` if it returns something. The same object each time. */
    fun failure(): Throwable? {
        if (record.isCancelled) return record.thrown
        record.failure?.let { return it }
        val throwsResult = setup.policy.onBadResult == OnBadResult.THROW && !isAccepted
        val failure =
            when {
                record.thrown != null -> record.thrown!!
                lastThrew -> last as Throwable
                throwsResult -> BadResultException(last, attempts, reason)
                else -> return null
            }
        trace()?.let { failure.carry(it) }
        record.failure = failure
        return failure
    }

    /** What the call went through, or `null` if that is not wanted, or is no more than one accepted attempt. */
    private fun trace(): RetryTrace? {
        if (!setup.policy.trace || record.isCancelled || (isAccepted && attempts == 1)) return null
        record.trace?.let { return it }
        val final =
            if (isAccepted || attempts == 0) null else FailedAttempt(attempts, last, delayBehind(attempts))
        val trace = RetryTrace(attempts, reason, state.totalDelayNanos, elapsedNanos(), record.with(final))
        record.trace = trace
        return trace
    }

    /** The wait that followed attempt [number], the last one: it is in the state if the next attempt never began. */
    private fun delayBehind(number: Int): Long = if (state.attempt > number) state.delayNanos else 0

    /** How long the call took, or unknown: also when the clock throws, which must not cost the caller his result. */
    private fun elapsedNanos(): Long = try {
        val isTimed = state.isTimed
        if (isTimed) {
            (setup.clock.nanoTime() - state.startedAt).coerceAtLeast(
                RetryTrace.UNKNOWN,
            )
        } else {
            RetryTrace.UNKNOWN
        }
    } catch (_: Throwable) {
        RetryTrace.UNKNOWN
    }
}
