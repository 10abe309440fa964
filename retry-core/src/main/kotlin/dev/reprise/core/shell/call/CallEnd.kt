package dev.reprise.core.shell.call

import dev.reprise.core.BadResultException
import dev.reprise.core.FailedAttempt
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.layers.CallPlace
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.machine.Decision

/**
 * How [call] ended: accepted, or by the machine's [giveUp]. Makes the exception and the outcome once, from the last
 * attempt's result or exception, with the trace. Confined to its call.
 */
internal class CallEnd(
    private val call: CallRecord,
    private val giveUp: Decision.GiveUp?,
    /** The verdict on the last attempt, if that is why the call ended. */
    private val verdict: Verdict?,
) {
    /** The exception that the call throws in place of the last attempt's outcome; `null` if nothing interfered. */
    var thrown: Throwable? = giveUp?.thrown

    /** Whether the caller cancelled the call, by [thrown]. */
    var isCancelled = false

    private val couldRetry = call.state.options.attemptsOf(call.setup.policy) > 1

    /** Whether the call gave up, although it could have retried. */
    private val gaveUp = (verdict is Verdict.Retry && verdict.isRetriedBelow) || (couldRetry && reason.isGiveUp)

    private var isTold = false
    private var mark: GiveUpMark? = null
    private var failure: Throwable? = null

    private val isAccepted get() = giveUp == null

    val reason: StopReason get() = giveUp?.reason ?: StopReason.SUCCESS

    /** How long to wait before the caller is told, in ns. */
    val delayNanos: Long get() = giveUp?.delayNanos ?: 0

    init {
        thrown?.let { thrown -> call.lastFailure?.let(thrown::carry) }
    }

    /** Tells the request that the call was made for. Not of a success, which without a listener would not come by here. */
    fun tellServed() {
        // A caller who cancelled wants no end.
        if (isAccepted || reason == StopReason.CANCELLED) return
        (call.state.options.served as ServedRequest?)?.callEnded(gaveUp, call.lastFailure)
    }

    /** The exception of the call, which carries the trace, or a mark alone; `null` if it returns its result. */
    fun failure(): Throwable? {
        if (isTold) return failure
        isTold = true
        val tick = if (gaveUp) GiveUps.next() else 0
        val place = if (gaveUp) (call.made ?: call.scope)?.place() else null
        mark = trace(tick, place) ?: if (gaveUp) GiveUpMark(tick, place) else null
        failure = thrown ?: call.lastFailure ?: when {
            isAccepted || call.setup.policy.onBadResult != OnBadResult.THROW -> null
            else -> BadResultException(call.lastResult, call.attempts, reason)
        }
        // A trace that an exception only leads to, as Spring's do, is printed if it is suppressed.
        failure?.let { thrown -> (MarkCarriers.attachedTo(thrown) as? RetryTrace)?.let(thrown::carryThroughCopies) }
        failure?.let { thrown -> markFor(thrown, tick, place)?.let(thrown::carryThroughCopies) }
        return failure
    }

    /** What [thrown] carries: the trace, unless it tells less than that of a call inside the only attempt. */
    private fun markFor(thrown: Throwable, tick: Long, place: CallPlace?): GiveUpMark? {
        val tellsNothing = mark is RetryTrace && call.attempts == 1 && !couldRetry
        val told = (if (tellsNothing) RetryTrace.of(thrown) else null) ?: return mark
        val isOfCallInside = call.scope?.let { GiveUps.isMarked(thrown, call.tickBefore, it) }
            ?: GiveUps.isMarkedByAny(thrown, call.tickBefore)
        if (told.giveUpMark != null && !isOfCallInside) return mark
        return if (gaveUp) GiveUpMark(tick, place) else null
    }

    /** How the call ended, as a value. */
    fun outcome(): RetryOutcome<Any?> {
        val failure = failure()
        val trace = mark as? RetryTrace
        val mark = mark?.giveUpMark
        val last = call.lastResult
        val attempts = call.attempts
        val waited = call.state.totalDelayNanos
        return when {
            thrown != null || call.lastFailure != null ->
                RetryOutcome.Failure(failure!!, attempts, waited, reason, trace, mark)

            isAccepted -> RetryOutcome.Success(last, attempts, waited, trace)

            else -> RetryOutcome.BadResult(last, attempts, waited, reason, trace, failure, mark)
        }
    }

    /** The trace, or `null` if the policy wants none, or it would hold no more than one accepted attempt. */
    private fun trace(tick: Long, place: CallPlace?): RetryTrace? {
        val setup = call.setup
        val attempts = call.attempts
        if (!setup.policy.trace || isCancelled || (isAccepted && attempts == 1)) return null
        val before = call.failures
        val isListed = !isAccepted && attempts > 0
        val last = if (isListed) FailedAttempt(attempts, call.last, delayAfterLast(), before) else before
        val waited = call.state.totalDelayNanos
        return RetryTrace(setup.name, attempts, reason, detail(), waited, elapsedNanos(), last, tick, place)
    }

    /** Why the call ended, beyond the [reason]; `null` for nothing. */
    fun detail(): String? = try {
        val setup = call.setup
        when {
            reason == StopReason.REJECTED && verdict == Verdict.Reject -> {
                val response = setup.judge.responseOf(verdict, call.lastResult, call.lastFailure)
                rejectedBy(setup.policy.classifier, call.lastFailure, response)
            }

            reason == StopReason.REJECTED && verdict is Verdict.Retry ->
                if (verdict.hasServerDelay) TOO_LONG else "the policy's backoff gave no wait"

            reason == StopReason.QUOTA && verdict is Verdict.Retry && setup.quota != null -> {
                val left = setup.quota.available(call.state.options.operation)
                "a retry costs ${setup.policy.quota?.costOf(verdict.kind)} tokens, $left are left"
            }

            reason == StopReason.NOT_REPLAYABLE -> setup.judge.whyNotRepeated(call.state.options)

            else -> null
        }
    } catch (_: Throwable) {
        // Quotas and responses may be code of others.
        null
    }

    /** The wait that followed the last attempt: it is in the state if the next attempt never began. */
    private fun delayAfterLast(): Long = if (call.state.attempt > call.attempts) call.state.delayNanos else 0

    /** How long the call took, or unknown: also when the clock throws, which must not cost the caller his result. */
    private fun elapsedNanos(): Long = try {
        val state = call.state
        val nanos = if (state.isTimed) call.setup.clock.nanoTime() - state.startedAt else RetryTrace.UNKNOWN
        maxOf(nanos, RetryTrace.UNKNOWN)
    } catch (_: Throwable) {
        RetryTrace.UNKNOWN
    }
}

private const val TOO_LONG = "the server asks for a longer wait than the policy follows"
