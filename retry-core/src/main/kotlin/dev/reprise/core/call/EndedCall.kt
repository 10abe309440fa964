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
 * What a call gives once it has ended: a value or an exception, with the trace of how it came about. The part of [OwnCall]
 * that decides nothing.
 */
internal abstract class EndedCall(
    setup: CallSetup,
    protected var state: RetryState,
    /** What the call is to give. */
    protected val form: CallForm,
) : RetryCall(setup) {
    protected var record: CallRecord? =
        setup.audience?.let { CallRecord(CallEvents(it, setup.quota, state.options, state.startedAt)) }

    // What the last attempt gave. A waiting call holds no more than this and its state: there may be many.
    protected var last: Any? = null
    protected var lastThrew = false
    protected var hasBegun = false

    protected val end: Decision? get() = record?.end
    protected val attempts: Int get() = if (hasBegun) state.attempt else state.attempt - 1

    /** Why the call ended, or `null` while it goes on. It may still have to wait, or to discard something. */
    val reason: StopReason? get() = end?.let { (it as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS }

    override fun failure(): Throwable? {
        val record = ended()
        return if (form.isOutcome && !record.isCancelled) null else failure(record)
    }

    override fun value(): Any? = if (form.isOutcome) outcome() else last

    override fun outcome(): RetryOutcome<Any?> {
        val record = ended()
        val failure = failure(record)
        val isBadResult = record.end !== Decision.Accept && !lastThrew && record.thrown == null
        return when {
            isBadResult -> RetryOutcome.BadResult(last, attempts, waited, reason!!, trace(record), failure)
            failure != null -> RetryOutcome.Failure(failure, attempts, waited, reason!!, trace(record))
            else -> RetryOutcome.Success(last, attempts, waited, trace(record))
        }
    }

    private val waited: Long get() = state.totalDelayNanos

    private fun ended(): CallRecord =
        record?.takeIf { it.end != null } ?: error("the call has not ended: it wants $next")

    /** What the call throws, with its trace; `null` if it returns something. The same object each time. */
    private fun failure(record: CallRecord): Throwable? {
        if (record.isCancelled) return record.thrown
        record.failure?.let { return it }
        val throwsResult = setup.policy.onBadResult == OnBadResult.THROW && record.end !== Decision.Accept
        val failure =
            when {
                record.thrown != null -> record.thrown!!
                lastThrew -> last as Throwable
                throwsResult -> BadResultException(last, attempts, reason!!)
                else -> return null
            }
        trace(record)?.let { failure.carry(it) }
        record.failure = failure
        return failure
    }

    /** What the call went through, or `null` if that is not wanted, or is no more than one accepted attempt. */
    private fun trace(record: CallRecord): RetryTrace? {
        val isAccepted = record.end === Decision.Accept
        if (!setup.policy.trace || record.isCancelled || (isAccepted && attempts == 1)) return null
        record.trace?.let { return it }
        val final =
            if (isAccepted || attempts == 0) null else FailedAttempt(attempts, last, delayBehind(attempts))
        val trace = RetryTrace(attempts, reason!!, waited, elapsedNanos(), record.with(final))
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

    protected fun record(): CallRecord = record ?: CallRecord(null).also { record = it }
}
