package dev.reprise.core.shell.machine

import dev.reprise.core.Backoff
import dev.reprise.core.FailureKind
import dev.reprise.core.NoPermit
import dev.reprise.core.RandomSource
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.SharedQuota

/**
 * Decides. A pure state machine: state, report, the time and a source of draws go in, a [Decision] comes out, and the only
 * thing that changes is the shared quota. Every transition is in this file, and so is every token that is taken or comes
 * back. [next] is its one door.
 *
 * ```
 * report         first that holds                             decision                  quota
 * ─────────────  ───────────────────────────────────────────  ────────────────────────  ─────────────────────────
 * accept         always                                       Accept                    + last cost, or the first
 *                                                                                       try's refund if none
 * reject         always                                       GiveUp(rejected)          unchanged
 * retry          this is the policy's last attempt            GiveUp(attempts)          unchanged
 *                a retrier below gave up, and the policy      GiveUp(retried-below)     unchanged
 *                stops then
 *                the options forbid a repeat                  GiveUp(not-replayable)    unchanged
 *                the quota has less than the retry's cost     GiveUp(quota), a long     unchanged
 *                                                             poll after its delay
 *                the backoff or the draw threw                GiveUp(rejected, thrown)  unchanged (taken, returned)
 *                backoff or server delay says stop            GiveUp(rejected)          unchanged (taken, returned)
 *                the wait would reach the deadline            GiveUp(deadline)          unchanged (taken, returned)
 *                the wait would reach stopAfter               GiveUp(time)              unchanged (taken, returned)
 *                otherwise                                    the next RetryState       - cost
 * copy due       the quota pays at once                       the RetryState, dearer    - cost
 *                otherwise                                    GiveUp(quota): no copy    unchanged
 * no permit      the policy waits for permits                 GiveUp(deadline), or      + last cost
 *                                                             (time) if that is first
 *                otherwise                                    GiveUp(rate-limited)      + last cost
 * stopped: too   before the attempt                           GiveUp(that reason)       + last cost
 * late, unpaid,  in the attempt                               GiveUp(that reason)       unchanged
 * canceled, not
 * repeatable or
 * broken
 * ```
 *
 * The order is that of the AWS SDKs' shared specification: the attempt limit stands before the quota, so that the last
 * failure costs nothing. One setting refines the table without adding a row: a
 * [charge][dev.reprise.core.QuotaSettings.charge] of `QuotaCharge.FAILURES` pays
 * before the verdict is looked at, unless the call ends as not replayable, and gives back at the end. A call that is
 * made to serve a request which is a retry itself has one attempt.
 *
 * Safe for any number of threads.
 */
@ShellApi
public class RetryMachine(private val policy: RetryPolicy, private val quota: Quota?) {
    internal val limits = TimeLimits(policy)

    /** The report of an outcome that is good. */
    internal val accepted = MachineInput.Judged(Verdict.Accept)

    /**
     * The decision after [report] at [now] (ns, same clock as the state's start). Throws only what the quota throws.
     */
    public fun next(state: RetryState, report: MachineInput, now: Long, draws: RandomSource): Decision =
        next(state, report, now, draws, observer = null)

    /** [next], which tells [observer] what it does to the quota and how it came to a delay, and throws what that throws. */
    internal fun next(
        state: RetryState,
        report: MachineInput,
        now: Long,
        draws: RandomSource,
        observer: MachineObserver?,
    ): Decision = when (report) {
        is MachineInput.Judged -> when (val verdict = report.verdict) {
            is Verdict.Accept -> accept(state, observer)

            is Verdict.Reject -> reject(state, observer)

            // Values, not the report: one that leaves this method is made on the heap (24 B of a failure).
            is Verdict.Retry -> retry(state, verdict, report.failure, report.result, now, draws, observer)
        }

        is CopyDue -> copy(state)

        is MachineInput.Stopped -> stopped(state, report, observer)
    }

    /** Whether a retry would follow [verdict], if it can be paid for, is in time, and the work may be repeated. */
    internal fun wouldRetry(state: RetryState, verdict: Verdict): Boolean =
        verdict is Verdict.Retry && stopReason(state, verdict) == null

    private fun accept(state: RetryState, observer: MachineObserver?): Decision {
        val settings = policy.quota ?: return Decision.Accept
        if (quota == null) return Decision.Accept
        val tokens = if (state.lastCost > 0) state.lastCost else settings.firstTryRefund
        val refunded = quota.succeeded(tokens, state.options.operation)
        if (refunded > 0) observer?.quotaRefunded(refunded)
        return Decision.Accept
    }

    private fun reject(state: RetryState, observer: MachineObserver?): Decision {
        val isPaid = take(atFailure(FailureKind.TRANSIENT), state, observer)
        if (!isPaid) return Decision.GiveUp.because(StopReason.REJECTED)
        // Where failures are paid for, this one was just now.
        return giveUp(StopReason.REJECTED, hasPaid = true, state, observer)
    }

    private fun retry(
        state: RetryState,
        verdict: Verdict.Retry,
        failure: Throwable?,
        result: Any?,
        now: Long,
        draws: RandomSource,
        observer: MachineObserver?,
    ): Decision {
        // Before anything is paid: work that may not be repeated costs nothing, even where failures are paid for.
        val stop = stopReason(state, verdict)
        if (stop == StopReason.NOT_REPLAYABLE) return Decision.GiveUp.because(stop)
        val early = atFailure(verdict.kind)
        val hasPaid = state.lastCost > 0 || early > 0
        var isPaid = take(early, state, observer)
        var late = 0
        if (isPaid) {
            if (stop != null) return giveUp(stop, hasPaid, state, observer)
            late = policy.quota?.let { it.charge.atRetry(it.costOf(verdict.kind)) } ?: 0
            isPaid = take(late, state, observer)
        }
        // The quota said no. A long poll is told so only after the delay it would have had, so that its loop does not spin.
        val isToldLater = state.options.longPolling && policy.longPollingDelay
        if (!isPaid && !isToldLater) return Decision.GiveUp.because(StopReason.QUOTA)
        val delay = try {
            delay(state, verdict, failure, result, now, draws, observer)
        } catch (e: Throwable) {
            // A backoff of the user's may throw anything; the retry that was paid for will not be made.
            if (isPaid) refund(late, state, observer)
            return Decision.GiveUp(StopReason.REJECTED, thrown = e)
        }
        val tooLong = if (delay < 0) StopReason.REJECTED else limits.reached(state, isRetry = true, now, delay)
        if (!isPaid) return Decision.GiveUp(StopReason.QUOTA, if (tooLong == null) delay else 0)
        if (tooLong != null) {
            refund(late, state, observer)
            return giveUp(tooLong, hasPaid, state, observer)
        }
        val back = policy.quota?.charge?.backAtSuccess(early + late, state.lastCost) ?: 0
        return state.next(delay, back, restarts = verdict.serverDelay?.isExact == true)
    }

    /** A copy never waits for its tokens. Nothing is told of one that is not sent. */
    private fun copy(state: RetryState): Decision {
        val tokens = if (quota == null) 0 else policy.quota?.cost ?: 0
        if (!take(tokens, state, observer = null)) return Decision.GiveUp.because(StopReason.QUOTA)
        var isPaid = false
        try {
            isPaid = quota !is SharedQuota || tokens == 0 || quota.confirm(tokens) == 0L
        } finally {
            if (!isPaid) refund(tokens, state, observer = null)
        }
        return if (isPaid) state.withCopy(tokens) else Decision.GiveUp.because(StopReason.QUOTA)
    }

    private fun stopped(state: RetryState, report: MachineInput.Stopped, observer: MachineObserver?): Decision {
        // What a retry took that is not begun comes back. A quota that throws keeps it; the call ends all the same.
        if (!report.inAttempt) runCatching { refund(state.lastCost, state, observer) }
        val isLate = report === MachineInput.NO_PERMIT && policy.onNoPermit == NoPermit.Wait
        return Decision.GiveUp(if (isLate) limits.firstOf(state) else report.reason, thrown = report.thrown)
    }

    /** Why no retry may follow [verdict], whatever it costs; `null` if one may. */
    private fun stopReason(state: RetryState, verdict: Verdict.Retry): StopReason? = when {
        state.attempt >= state.options.attemptsOf(policy) -> StopReason.ATTEMPTS

        verdict.isRetriedBelow && state.options.whenRetriedBelow(policy) == WhenRetriedBelow.STOP ->
            StopReason.RETRIED_BELOW

        !isRepeatAllowed(state, verdict) -> StopReason.NOT_REPLAYABLE

        else -> null
    }

    private fun isRepeatAllowed(state: RetryState, verdict: Verdict.Retry): Boolean {
        val repeat = state.options.repeatOfBlock
        return repeat == Repeat.SAFE || (repeat == Repeat.IF_UNSENT && verdict.unsent)
    }

    /** The backoff, and the server's delay as far as it is followed; negative for "stop". */
    private fun delay(
        state: RetryState,
        verdict: Verdict.Retry,
        failure: Throwable?,
        result: Any?,
        now: Long,
        draws: RandomSource,
        observer: MachineObserver?,
    ): Long {
        val custom = policy.backoff.customFor(verdict.kind)
        var ceiling = 0L
        val backoff = if (custom == null) {
            policy.backoff.delayNanos(state.retryIndex, verdict.kind, state.backoffNanos, draws)
        } else {
            ceiling = custom.ceilingNanos(state.upcoming(verdict.kind, failure, result, now))
            if (ceiling < 0) Backoff.STOP else custom.delayNanos(ceiling, draws)
        }
        if (backoff < 0) return Backoff.STOP
        val delay = verdict.serverDelay?.let { followed(it, backoff) } ?: backoff
        if (observer != null) {
            if (custom == null) ceiling = policy.backoff.ceilingNanos(state.retryIndex, verdict.kind)
            observer.delayed(ceiling, backoff, verdict.serverDelay, delay)
        }
        return delay
    }

    private fun followed(serverDelay: ServerDelay, backoff: Long): Long {
        if (serverDelay.isExact) return serverDelay.nanos
        val bound =
            (serverDelay.rule ?: policy.serverDelays.maxByOrNull { it.bound.limitNanos })?.bound ?: return backoff
        return bound.delayNanos(backoff, serverDelay.nanos)
    }

    private fun giveUp(reason: StopReason, hasPaid: Boolean, state: RetryState, observer: MachineObserver?): Decision {
        policy.quota?.let { refund(it.charge.backAtStop(it.cost, hasPaid), state, observer) }
        return Decision.GiveUp.because(reason)
    }

    private fun atFailure(kind: FailureKind): Int = policy.quota?.let { it.charge.atFailure(it.costOf(kind)) } ?: 0

    private fun take(tokens: Int, state: RetryState, observer: MachineObserver?): Boolean {
        if (tokens == 0 || quota == null) return true
        val taken = quota.tryTake(tokens, state.options.operation)
        if (taken) observer?.quotaTaken(tokens) else observer?.quotaRefused(tokens)
        return taken
    }

    private fun refund(tokens: Int, state: RetryState, observer: MachineObserver?) {
        if (tokens == 0 || quota == null) return
        val refunded = quota.giveBack(tokens, state.options.operation)
        if (refunded > 0) observer?.quotaRefunded(refunded)
    }
}

/** Receives [RetryMachine]'s changes of the quota, and the parts of a delay. */
internal interface MachineObserver {
    /** [tokens] were taken for a retry. */
    fun quotaTaken(tokens: Int)

    /** The quota has less than [tokens]. */
    fun quotaRefused(tokens: Int)

    /** There was room for [tokens] that were given back. */
    fun quotaRefunded(tokens: Int)

    /** The backoff drew [backoffNanos] of at most [ceilingNanos]; with the server's say that makes [delayNanos]. */
    fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long)
}
