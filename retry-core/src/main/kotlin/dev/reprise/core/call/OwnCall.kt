package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.FailedAttempt
import dev.reprise.core.NoPermitException
import dev.reprise.core.ResultNote
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.MachineInput
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.machine.RetryState
import dev.reprise.core.time.UNLIMITED_NANOS

/**
 * A call that is told apart from others: it has a listener or a limit, waits for a permit, or its first attempt failed. Turns
 * reports into steps. Whatever code of others throws on the way (classifier, quota, clock) ends the call through [breaks].
 */
internal class OwnCall(setup: CallSetup, state: RetryState, form: CallForm) : EndingCall(setup, state, form) {
    private val kind: ResultKind get() = form.kind

    override val delayNanos: Long
        get() = (end as? Decision.GiveUp)?.delayNanos
            ?: (state.delayNanos - (record?.waitedNanos ?: 0)).coerceAtLeast(0)

    override val deadlineAt: Long
        get() = setup.policy.deadlineOf(state.options).let { if (it == UNLIMITED_NANOS) it else state.startedAt + it }

    /** The call begins. */
    fun begins() {
        next = beforePermit()
        events?.callStarted()
    }

    /** The call goes on from a first attempt, sent at [sentAt], that ran while the call had no object of its own. */
    fun goesOnFrom(sentAt: Long) {
        hasBegun = true
        if (sentAt != CallSetup.NEVER) record().sentAt = sentAt
    }

    override fun waited() {
        inTurn(NextStep.WAIT)
        if (end == null) return pays()
        record?.attempt?.paused(delayNanos)
        next = NextStep.DONE
    }

    /** The wait is over: the retry is made if the quota has paid for it, or later, or not at all. */
    private fun pays() {
        val now = if (state.isTimed) setup.clock.nanoTime() else 0
        when (val decision = setup.machine.next(state, MachineInput.Waited, now, setup.draws, events?.at(now))) {
            is RetryState -> {
                val isPaid = decision === state
                if (isPaid) record?.waitedNanos = 0 else record().waitedNanos = state.delayNanos
                state = decision
                next = if (isPaid) beforePermit() else NextStep.WAIT
            }

            is Decision.GiveUp -> endsUnsent(decision)

            is Decision.Accept -> error("a wait is no outcome")
        }
    }

    override fun permitted(waitNanos: Long) {
        inTurn(NextStep.PERMIT)
        holdsPermit = true
        next = beforeAttempt()
        if (waitNanos > 0) events?.atTimeOf(setup.clock)?.permitWaited(waitNanos)
    }

    override fun permitRefused() {
        inTurn(NextStep.PERMIT)
        endsUnsent(decision(MachineInput.NoPermit))
    }

    /** The call ends with [refused] instead of its next attempt; what the last one gave may be gone, or there was none. */
    private fun endsUnsent(refused: Decision.GiveUp) {
        finish(refused)
        val hasNothing = attempts == 0 || (kind == ResultKind.CONNECTION && !lastThrew)
        if (hasNothing) record().thrown = NoPermitException(refused.reason, attempts)
        next = NextStep.DONE
    }

    override fun rejected(): Any? {
        inTurn(NextStep.DISCARD)
        hasToDiscard = false
        val result = last
        if (kind.isGoneOnceReleased) last = ResultNote.of(result)
        return result
    }

    override fun discarded() {
        inTurn(NextStep.DISCARD)
        when {
            end != null -> next = NextStep.DONE
            kind.isReleasedBeforeWait -> waits()
            else -> next = NextStep.ATTEMPT
        }
    }

    override fun attemptStarts(): Attempt {
        inTurn(NextStep.ATTEMPT)
        // A clock is code of others: what it throws comes before the attempt, whose tokens and permit go back then.
        return starts(if (state.isTimed) setup.clock.nanoTime() else 0)
    }

    override fun attemptStarted(at: Long): Attempt {
        inTurn(NextStep.ATTEMPT)
        return starts(at)
    }

    private fun starts(now: Long): Attempt {
        hasBegun = true
        holdsPermit = false
        if (!state.isTimed) return plainAttempt(setup, state, lastFailure)
        record().sentAt = now
        events?.at(now)?.attemptStarted(state.attempt)
        return watchedAttempt(setup, state, lastFailure, events, now).also { record().attempt = it }
    }

    override fun succeeded(): RetryCall? = returned(Unit) { Verdict.Accept }

    override fun completed(result: Any?, work: Repeatable?): RetryCall? = returned(result, work) {
        setup.verdictOn(result, state.attempt, events)
    }

    /** [completed] with a verdict that is known, or whose making throws. */
    inline fun returned(result: Any?, work: Repeatable? = null, verdict: () -> Verdict): RetryCall? {
        inTurn(NextStep.ATTEMPT)
        val before = last
        last = result
        lastThrew = false
        hasToDiscard = kind != ResultKind.VALUE
        val isAccepted = judge(before, work, verdict)
        return if (isAccepted && !form.isOutcome) null else this
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall {
        inTurn(NextStep.ATTEMPT)
        // There was no attempt to fail: the clock threw in its place.
        if (!hasBegun) return broke(failure)
        if (thrown == Thrown.CANCELLATION) return cancels(failure)
        val before = last
        last = failure
        lastThrew = true
        judge(before, work = null) {
            verdict
                ?: setup.policy.classifier.classifyFailure(failure)
                ?: if (thrown == Thrown.TIMEOUT) Verdict.TIMEOUT else Verdict.Reject
        }
        return this
    }

    override fun forGood(): RetryCall {
        inTurn(NextStep.ATTEMPT)
        state = state.unrepeatable()
        return this
    }

    override fun asLongPoll(): RetryCall {
        state = state.longPoll()
        return this
    }

    /** What the end of an attempt means: whether it is accepted. What the attempt before it gave is [before]. */
    private inline fun judge(before: Any?, work: Repeatable?, verdict: () -> Verdict): Boolean = try {
        decide(before, verdict(), work)
    } catch (e: Throwable) {
        breaks(e)
        false
    }

    // Three small functions, each of which the compiler puts into its caller: it does not do so with one of 325 bytes.
    private fun decide(before: Any?, verdict: Verdict, work: Repeatable?): Boolean {
        val now = if (state.isTimed) setup.clock.nanoTime() else 0
        if (setup.isAdaptive) setup.answered(verdict, if (lastThrew) null else last, lastFailure, record().sentAt, now)
        val events = events?.at(now)
        val isAccepted = verdict is Verdict.Accept
        if (isAccepted) accepts(before, now, events) else rejects(before, verdict, work, now, events)
        return isAccepted
    }

    private fun accepts(before: Any?, now: Long, events: CallEvents?) {
        val accepted = setup.machine.next(state, MachineInput.Judged.ACCEPTED, now, setup.draws, events)
        hasToDiscard = false
        // Of a result that is handed over here and now nothing more is told, unless a listener is there.
        if (events == null && !lastThrew && !form.isOutcome && !kind.isReported) return
        keep(before)
        finish(accepted)
    }

    private fun rejects(before: Any?, verdict: Verdict, work: Repeatable?, now: Long, events: CallEvents?) {
        keep(before)
        val result = if (lastThrew) null else last
        val full = setup.withServerDelay(verdict, result, lastFailure, events)
        events?.attemptFailed(state.attempt, lastFailure, result, full)
        val report = MachineInput.Judged(full, lastFailure, result, work)
        when (val decision = setup.machine.next(state, report, now, setup.draws, events)) {
            is RetryState -> {
                events?.retryScheduled(state.attempt, full as Verdict.Retry, decision.delayNanos)
                state = decision
                hasBegun = false
                if (hasToDiscard && kind.isReleasedBeforeWait) next = NextStep.DISCARD else waits()
            }

            is Decision.GiveUp, Decision.Accept -> finish(decision)
        }
    }

    /** Keeps for the trace what the attempt before the last one failed with. */
    private fun keep(before: Any?) {
        if (!setup.policy.trace || state.attempt == 1) return
        record().add(FailedAttempt(state.attempt - 1, before, state.delayNanos))
    }

    private fun waits() = if (state.delayNanos > 0) next = NextStep.WAIT else pays()

    private fun beforePermit() = if (setup.isAdaptive) NextStep.PERMIT else beforeAttempt()

    private fun beforeAttempt() = if (hasToDiscard) NextStep.DISCARD else NextStep.ATTEMPT

    private fun inTurn(step: NextStep) = check(next == step) { "the call wants $next, not $step" }

    override fun toString(): String = "call(${state.options}, attempt $attempts, $next)"
}
