package dev.reprise.core

import dev.reprise.core.backoff.Backoff
import dev.reprise.core.backoff.Draws
import dev.reprise.core.backoff.UNLIMITED_NANOS
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.ServerDelay
import dev.reprise.core.classify.Verdict
import dev.reprise.core.quota.RetryQuota

/**
 * Decides. A pure state machine: state, verdict, the time and a source of draws go in, a [Decision] comes out, and the
 * only thing that changes is the shared quota. Every transition is in this file.
 *
 * ```
 * state      verdict   first that holds                                decision                quota
 * ─────────  ────────  ──────────────────────────────────────────────  ──────────────────────  ─────────────────────────
 * attempt n  accept                                                    Accept                  + last cost, or + 1 if
 *                                                                                              nothing was paid
 * attempt n  reject                                                    GiveUp(rejected)        unchanged
 * attempt n  retry     n is the policy's last attempt                  GiveUp(attempts)        unchanged
 *                      the work may not be repeated                    GiveUp(not-replayable)  unchanged
 *                      the quota has less than the retry's cost        GiveUp(quota)           unchanged
 *                      backoff or server delay says stop               GiveUp(rejected)        unchanged (taken, returned)
 *                      the wait would reach the deadline               GiveUp(deadline)        unchanged (taken, returned)
 *                      otherwise                                       RetryAfter(delay, n+1)  - cost
 * ended      any                                                       throws
 * ```
 *
 * The order is that of the AWS SDKs' shared specification: the attempt limit stands before the quota, so that the last
 * failure costs nothing. Two settings refine the table without adding a row: a [QuotaSettings.charge] of
 * `QuotaCharge.FAILURES` pays before the verdict is looked at, and a long poll that the
 * quota refuses is told to wait the delay that it would have had before it gives up.
 *
 * Safe for any number of threads.
 */
public class RetryMachine(private val policy: RetryPolicy, private val quota: RetryQuota?) {
    /**
     * The decision after the attempt of [state] ended with [verdict] at [now] (ns, same clock as the state's start).
     *
     * @throws IllegalStateException if the call has ended already
     */
    public fun next(state: RetryState, verdict: Verdict, now: Long, draws: Draws): Decision =
        when (val step = step(state, verdict, now, draws, null)) {
            is RetryState -> Decision.RetryAfter(step.previousDelayNanos, step)
            is Decision.GiveUp -> step
            is Decision.Accept -> step
        }

    /** [next] for a shell that goes on from the state itself and needs no decision around it. */
    internal fun step(state: RetryState, verdict: Verdict, now: Long, draws: Draws, observer: MachineObserver?): Step {
        check(!state.hasEnded) { "the call has ended: no outcome can follow its last decision" }
        return when (verdict) {
            is Verdict.Accept -> accept(state, observer)
            is Verdict.Reject -> reject(state, observer)
            is Verdict.Retry -> retry(state, verdict, now, draws, observer)
        }
    }

    internal fun accept(state: RetryState, observer: MachineObserver?): Ending {
        val settings = policy.quota ?: return Decision.Accept
        refund(if (state.lastCost > 0) state.lastCost else settings.firstTryRefund, observer)
        return Decision.Accept
    }

    private fun reject(state: RetryState, observer: MachineObserver?): Step {
        val early = chargeAtFailure(FailureKind.TRANSIENT)
        if (early > 0 && !take(early, observer)) return Decision.GiveUp.of(StopReason.REJECTED)
        return giveUp(StopReason.REJECTED, state.lastCost > 0 || early > 0, observer)
    }

    private fun retry(
        state: RetryState,
        verdict: Verdict.Retry,
        now: Long,
        draws: Draws,
        observer: MachineObserver?,
    ): Step {
        val early = chargeAtFailure(verdict.kind)
        if (early > 0 && !take(early, observer)) return refused(state, verdict, now, draws, observer)
        val hasPaid = state.lastCost > 0 || early > 0
        if (state.attempt >= policy.maxAttempts) return giveUp(StopReason.ATTEMPTS, hasPaid, observer)
        if (!mayRepeat(state, verdict)) return giveUp(StopReason.NOT_REPLAYABLE, hasPaid, observer)

        val late = chargeAtRetry(verdict.kind)
        if (late > 0 && !take(late, observer)) return refused(state, verdict, now, draws, observer)
        val delay =
            try {
                delay(state, verdict, draws, observer)
            } catch (e: Exception) {
                // A backoff of the user's may throw; the retry that was paid for will not be made.
                if (late > 0) refund(late, observer)
                throw e
            }
        if (delay < 0 || reachesDeadline(state, now, delay)) {
            if (late > 0) refund(late, observer)
            return giveUp(if (delay < 0) StopReason.REJECTED else StopReason.DEADLINE, hasPaid, observer)
        }
        val back = policy.quota?.charge?.backAtSuccess(early + late, state.lastCost) ?: 0
        return state.next(delay, back)
    }

    private fun mayRepeat(state: RetryState, verdict: Verdict.Retry): Boolean = when (state.options.repeat) {
        Repeat.SAFE -> true
        Repeat.IF_UNSENT -> verdict.unsent
        Repeat.NEVER -> false
    }

    /** The quota said no. A long poll is told so only after the delay it would have had, so that its loop does not spin. */
    private fun refused(
        state: RetryState,
        verdict: Verdict.Retry,
        now: Long,
        draws: Draws,
        observer: MachineObserver?,
    ): Step {
        if (!state.options.longPolling || !policy.longPollingDelay) return Decision.GiveUp.of(StopReason.QUOTA)
        val delay = delay(state, verdict, draws, observer)
        val waits = delay > 0 && !reachesDeadline(state, now, delay)
        return Decision.GiveUp(StopReason.QUOTA, if (waits) delay else 0)
    }

    /** The backoff, and the server's wish as far as it is followed; negative for "stop". */
    private fun delay(state: RetryState, verdict: Verdict.Retry, draws: Draws, observer: MachineObserver?): Long {
        val backoff = policy.backoff.delayNanos(state.retryIndex, verdict.kind, state.previousDelayNanos, draws)
        if (backoff < 0) return Backoff.STOP
        val delay = if (verdict.hasServerDelay) followed(verdict.serverDelay!!, backoff) else backoff
        if (observer != null) {
            val ceiling = policy.backoff.ceilingNanos(state.retryIndex, verdict.kind)
            observer.delayed(ceiling, backoff, verdict.serverDelay, delay)
        }
        return delay
    }

    private fun followed(wish: ServerDelay, backoff: Long): Long {
        val bound = (wish.rule ?: policy.serverDelays.firstOrNull())?.bound ?: return backoff
        return bound.delayNanos(backoff, wish.nanos)
    }

    /** Whether a wait of [delay] from [now] would leave no time for the attempt after it. */
    private fun reachesDeadline(state: RetryState, now: Long, delay: Long): Boolean =
        policy.deadlineNanos != UNLIMITED_NANOS && delay >= policy.deadlineNanos - (now - state.startedAt)

    private fun giveUp(reason: StopReason, hasPaid: Boolean, observer: MachineObserver?): Step {
        val settings = policy.quota
        val back = settings?.charge?.backAtStop(settings.cost, hasPaid) ?: 0
        if (back > 0) refund(back, observer)
        return Decision.GiveUp.of(reason)
    }

    private fun chargeAtFailure(kind: FailureKind): Int =
        policy.quota?.let { it.charge.atFailure(it.costOf(kind)) } ?: 0

    private fun chargeAtRetry(kind: FailureKind): Int = policy.quota?.let { it.charge.atRetry(it.costOf(kind)) } ?: 0

    private fun take(tokens: Int, observer: MachineObserver?): Boolean {
        if (quota == null) return true
        val taken = quota.tryTake(tokens)
        if (taken) observer?.quotaTaken(tokens) else observer?.quotaRefused(tokens)
        return taken
    }

    private fun refund(tokens: Int, observer: MachineObserver?) {
        if (quota == null) return
        val refunded = quota.refund(tokens)
        if (refunded > 0) observer?.quotaRefunded(refunded)
    }
}
