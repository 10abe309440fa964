package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.DeadlineException
import dev.reprise.core.NoPermitException
import dev.reprise.core.Repeat
import dev.reprise.core.ResultNote
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.MachineInput
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.time.UNLIMITED_NANOS

/**
 * A call that is told apart from others: it has a listener or a limit, waits for a permit, or its first attempt failed. Turns
 * reports into steps, and ends once, as the machine decides, whatever code of others (classifier, quota, clock) throws on the
 * way.
 */
internal class OwnCall(first: FirstCall, state: RetryState, isOutcome: Boolean) : CallRecord(first, state, isOutcome) {
    private var hasToDiscard = false
    private var holdsPermit = false

    /** What the last attempt means, if its call may go on. */
    private var judged: Verdict? = null

    override var next: NextStep = beforePermit()
        private set

    override val isPlain: Boolean
        get() = next == NextStep.ATTEMPT && setup.hedges == null && deadlineAt == UNLIMITED_NANOS &&
            setup.policy.attemptTimeoutNanos(state.attempt) == UNLIMITED_NANOS

    // How it begins

    /** Begins the call, unless its deadline has passed. */
    fun begins(): OwnCall {
        setup.hedges?.budget?.callBegins()
        events?.callStarted()
        endsIfTooLate(state.startedAt)
        return this
    }

    /** Goes on from a first attempt, sent at [sentAt], that ran while the call had no object of its own. */
    fun beginsLate(sentAt: Long): OwnCall {
        events?.callStarted()
        next = NextStep.ATTEMPT
        attemptBegins(sentAt, tickBefore)
        return this
    }

    // Between two attempts

    override fun waited() {
        inTurn(NextStep.WAIT)
        if (end == null) return pays()
        watched?.paused(delayNanos)
        next = NextStep.DONE
    }

    /** The wait is over: the retry is made if it is paid for, or later, or not at all. Only a shared quota is asked. */
    private fun pays() {
        val now = now()
        if (endsIfTooLate(now)) return
        val shared = setup.quota as? SharedQuota
        val longer = if (shared == null || state.lastCost == 0) 0 else shared.confirm(state.lastCost)
        if (longer < 0) return endsUnsent(MachineInput.UNPAID)
        if (longer > 0) {
            limitReached(now, longer)?.let { return endsUnsent(it) }
            state = state.waitsOn(longer)
        }
        longerNanos = longer
        next = if (longer == 0L) beforePermit() else NextStep.WAIT
    }

    override fun permitted(waitNanos: Long) {
        inTurn(NextStep.PERMIT)
        holdsPermit = true
        next = beforeAttempt()
        if (waitNanos == 0L) return
        events?.atTimeOf(setup.clock)?.permitWaited(waitNanos)
        endsIfTooLate(now())
    }

    override fun permitRefused() {
        inTurn(NextStep.PERMIT)
        endsUnsent(MachineInput.NO_PERMIT)
    }

    /**
     * Ends the call if a limit of its time is reached [now], or in a wait of [aheadNanos] that has not begun, before an attempt that
     * would have no time: a call may begin too late, and a timer is never early, but late.
     */
    private fun endsIfTooLate(now: Long, aheadNanos: Long = 0): Boolean {
        val reached = limitReached(now, aheadNanos) ?: return false
        if (aheadNanos > 0) state = state.unwaited()
        endsUnsent(reached)
        return true
    }

    private fun limitReached(now: Long, aheadNanos: Long): MachineInput? =
        setup.machine.limits.reached(state, isRetry = state.attempt > 1, now, aheadNanos)
            ?.let { MachineInput.Stopped(it) }

    override fun rejected(): Any? {
        inTurn(NextStep.DISCARD)
        hasToDiscard = false
        return last.also { if (kind.isGoneOnceReleased) last = ResultNote.of(it) }
    }

    override fun discarded() {
        inTurn(NextStep.DISCARD)
        if (end != null) {
            next = NextStep.DONE
            return
        }
        // Discarding is work of others, and takes its time.
        val isBeforeWait = kind.isReleasedBeforeWait
        if (endsIfTooLate(now(), aheadNanos = if (isBeforeWait) delayNanos else 0)) return
        if (isBeforeWait) waits() else next = NextStep.ATTEMPT
    }

    private fun waits() = if (state.delayNanos > 0) next = NextStep.WAIT else pays()

    private fun beforePermit() = if (setup.isAdaptive) NextStep.PERMIT else beforeAttempt()

    private fun beforeAttempt() = if (hasToDiscard) NextStep.DISCARD else NextStep.ATTEMPT

    private fun beforeEnd() = if (hasToDiscard) NextStep.DISCARD else NextStep.DONE

    // An attempt

    override fun attemptStarted(at: Long): Attempt {
        inTurn(NextStep.ATTEMPT)
        // The clock is code of others: what it throws comes before the attempt, whose tokens and permit go back then.
        val isLate = at != RetryState.UNCLOCKED
        val now = if (isLate) at else now()
        // One that is reported late, perhaps at its end, began after the one before it: what a retrier gave up on since is its own.
        attemptBegins(now, if (isLate) tickBefore else GiveUps.now())
        holdsPermit = false
        return watched ?: PlainAttempt(setup, state, lastFailure)
    }

    override fun withdrawn() {
        inTurn(NextStep.ATTEMPT)
        holdsPermit = setup.isAdaptive
        hasBegun = false
    }

    override fun race(): HedgeRace? {
        val hedges = setup.hedges ?: return null
        val mayRunTwice = state.options.repeatOfBlock == Repeat.SAFE && !state.options.isMadeOnce(setup.policy)
        if (state.attempt > 1 || !mayRunTwice) return null
        val race = HedgeRace(this, hedges, watched!!)
        return race.takeIf { it.delayNanos != UNLIMITED_NANOS }?.also { firstRace = it }
    }

    override fun completed(result: Any?, verdict: Verdict?, scope: AttemptScope?): RetryCall? {
        val judged =
            runCatching { race?.verdictOn(result) ?: verdict ?: setup.judge.verdictOn(result, state.attempt, events) }
        return returned(result, judged, scope)
    }

    /** [completed] with the [verdict], or what was thrown in its place. */
    fun returned(result: Any?, verdict: Result<Verdict>, scope: AttemptScope?): RetryCall? {
        inTurn(NextStep.ATTEMPT)
        hasToDiscard = kind != ResultKind.VALUE
        val isAccepted = judge(result, threw = false, verdict, scope)
        return if (isAccepted && !isOutcome) null else this
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?, scope: AttemptScope?): RetryCall {
        inTurn(NextStep.ATTEMPT)
        // There was no attempt to fail: the clock threw in its place.
        if (!hasBegun) return broke(failure)
        if (thrown == Thrown.CANCELLATION) return cancels(failure)
        val judged = runCatching { race?.verdictOn(failure) ?: setup.judge.verdictOn(failure, thrown, verdict) }
        judge(failure, threw = true, judged, scope)
        return this
    }

    /** The machine decides after an attempt that gave, or [threw], [outcome]. Returns whether that is accepted. */
    private fun judge(outcome: Any?, threw: Boolean, verdict: Result<Verdict>, scope: AttemptScope?): Boolean {
        val before = last
        last = outcome
        lastThrew = threw
        this.scope = scope
        try {
            val judged = state.options.whenRetriedBelow(setup.policy).on(verdict.getOrThrow())
            val now = now()
            if (setup.isAdaptive) setup.answered(judged, lastResult, lastFailure, sentAt, now)
            if (state.attempt == 1) setup.hedges?.firstEnded(watched!!, race, judged, now)
            events?.at(now)
            if (judged is Verdict.Accept) accepts(before, now) else rejects(before, judged, now)
            return judged is Verdict.Accept
        } catch (e: Throwable) {
            breaks(e)
            return false
        }
    }

    /** The attempt is accepted; the one before it gave [before]. */
    private fun accepts(before: Any?, now: Long) {
        // A success gives back what a copy took, as it does what a retry took.
        val copy = firstRace?.tokens ?: 0
        val paid = if (copy > 0) state.withCopy(copy) else state
        val accepted = setup.machine.next(paid, setup.machine.accepted, now, setup.draws, events)
        hasToDiscard = false
        // An accepted result is returned at once; without a listener there is nothing to record.
        if (events == null && lastFailure == null && !isOutcome) return
        keep(before)
        finish(accepted)
    }

    private fun rejects(before: Any?, verdict: Verdict, now: Long) {
        keep(before)
        val sent = setup.judge.sent(verdict, lastFailure, state.options)
        val marked = setup.judge.marked(sent, last, tickBefore, scope)
        val full = setup.judge.withServerDelay(marked, lastResult, lastFailure, events)
        events?.attemptFailed(state.attempt, lastFailure, lastResult, full)
        if (!setup.machine.wouldRetry(state, full)) return decides(full, mayRepeat = true, now)
        judged = full
        next = NextStep.REPEAT
    }

    override fun repeats(mayRepeat: Boolean) {
        inTurn(NextStep.REPEAT)
        try {
            val now = now()
            events?.at(now)
            decides(judged!!, mayRepeat, now)
        } catch (e: Throwable) {
            breaks(e)
        }
    }

    private fun decides(verdict: Verdict, mayRepeat: Boolean, now: Long) {
        val report =
            if (mayRepeat) MachineInput.Judged(verdict, lastFailure, lastResult) else MachineInput.NOT_REPLAYABLE
        val decision = setup.machine.next(state, report, now, setup.draws, events)
        setup.hedges?.heard(verdict, (decision as? RetryState)?.delayNanos ?: 0, now)
        if (decision !is RetryState) {
            finish(decision, verdict)
            return
        }
        events?.retryScheduled(state.attempt, (verdict as Verdict.Retry).kind, decision.delayNanos)
        state = decision
        hasBegun = false
        if (hasToDiscard && kind.isReleasedBeforeWait) next = NextStep.DISCARD else waits()
    }

    // How it ends

    /** The call ends with [decision], once; the [verdict] on its last attempt may be why. */
    private fun finish(decision: Decision, verdict: Verdict? = null): CallEnd {
        val end = CallEnd(this, decision as? Decision.GiveUp, verdict)
        this.end = end
        end.tellServed()
        if (holdsPermit) setup.sendRate!!.putBack()
        holdsPermit = false
        next = when {
            end.thrown != null -> beforeEnd()
            end.delayNanos > 0 -> NextStep.WAIT
            else -> NextStep.DONE
        }
        events?.ended(this, end, attempts, state.totalDelayNanos)
        return end
    }

    /** The call ends as [why] says instead of its next attempt; the last one's result may be gone, or there was none. */
    private fun endsUnsent(why: MachineInput) {
        val end = finish(decision(why))
        if (attempts == 0 || last is ResultNote) {
            val isLate = end.reason == StopReason.DEADLINE || end.reason == StopReason.TIME
            end.thrown = if (isLate) DeadlineException(attempts) else NoPermitException(end.reason, attempts)
        }
        next = NextStep.DONE
    }

    override fun broke(thrown: Throwable): RetryCall =
        if (Thrown.meaningOf(thrown) == Thrown.CANCELLATION) cancels(thrown) else breaks(thrown)

    /** The caller cancelled the call by [cause], which is thrown as it is, also if the call had ended and was still to wait. */
    private fun cancels(cause: Throwable): RetryCall {
        val end = end ?: finish(decision(MachineInput.Stopped(StopReason.CANCELLED, hasBegun)))
        end.thrown = cause
        end.isCancelled = true
        next = beforeEnd()
        return this
    }

    /** Code of others [threw][thrown] instead of doing its part. A call that has ended stays as it ended. */
    private fun breaks(thrown: Throwable): RetryCall {
        val end = end
        if (end == null) {
            if (hasBegun) events?.atTimeOf(setup.clock)?.broke(state.attempt, thrown)
            finish(decision(MachineInput.Stopped(StopReason.REJECTED, hasBegun, thrown)))
        } else {
            (end.thrown ?: lastFailure)?.carry(thrown)
            // A result that the caller is to have, once its wait is over, is not discarded because the wait broke.
            next = if (end.thrown == null) NextStep.DONE else beforeEnd()
        }
        return this
    }

    private fun decision(input: MachineInput): Decision =
        setup.machine.next(state, input, 0, setup.draws, events?.atTimeOf(setup.clock))

    private fun inTurn(step: NextStep) = check(next == step) { "the call wants $next, not $step" }

    override fun toString(): String = "call(${state.options}, attempt $attempts, $next)"
}
