package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.FailedAttempt
import dev.reprise.core.NoPermitException
import dev.reprise.core.ResultNote
import dev.reprise.core.RetryOutcome
import dev.reprise.core.StopReason
import dev.reprise.core.carry
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.Report
import dev.reprise.core.machine.RetryMachine
import dev.reprise.core.machine.RetryState
import dev.reprise.core.time.UNLIMITED_NANOS

/**
 * A call that is told apart from others: it has a listener or a limit, waits for a permit, or its first attempt failed. Turns
 * reports into steps. Whatever code of others throws on the way (classifier, quota, clock) ends the call through [breaks].
 */
internal class OwnCall(
    setup: CallSetup,
    private var state: RetryState,
    private val kind: ResultKind,
    private val asOutcome: Boolean,
) : RetryCall(setup) {
    private var record: CallRecord? =
        setup.audience?.let { CallRecord(CallEvents(it, setup.quota, state.options.operation, state.startedAt)) }

    // What the last attempt gave. A waiting call holds no more than this and its state: there may be many.
    private var last: Any? = null
    private var lastThrew = false
    private var hasToDiscard = false
    private var hasBegun = false
    private var holdsPermit = false
    private var isAccepted = false

    override var next: NextStep = NextStep.ATTEMPT
        private set

    private val end: Decision? get() = record?.end

    /** Why the call ended, or `null` while it goes on. It may still have to wait, or to discard something. */
    val reason: StopReason? get() = end?.let { (it as? Decision.GiveUp)?.reason ?: StopReason.SUCCESS }

    private val events: CallEvents? get() = record?.events
    private val attempts: Int get() = if (hasBegun) state.attempt else state.attempt - 1
    private val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null

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
        when (val decision = setup.machine.next(state, Report.Waited, now, setup.draws, events?.at(now))) {
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
        endsUnsent(decision(Report.NoPermit))
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

    override fun completed(result: Any?): RetryCall? = returned(result) { setup.verdictOn(result) }

    /** [completed] with a verdict that is known, or whose making throws. */
    inline fun returned(result: Any?, verdict: () -> Verdict): RetryCall? {
        inTurn(NextStep.ATTEMPT)
        val before = last
        last = result
        lastThrew = false
        hasToDiscard = kind != ResultKind.VALUE
        judge(before, verdict)
        return if (isAccepted && !asOutcome) null else this
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall {
        inTurn(NextStep.ATTEMPT)
        // There was no attempt to fail: the clock threw in its place.
        if (!hasBegun) return broke(failure)
        if (thrown == Thrown.CANCELLATION) return cancels(failure)
        val before = last
        last = failure
        lastThrew = true
        judge(before) {
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

    override fun broke(thrown: Throwable): RetryCall =
        if (Thrown.meaningOf(thrown) == Thrown.CANCELLATION) cancels(thrown) else breaks(thrown)

    override fun failure(): Throwable? = ended().let { if (asOutcome && !it.isCancelled) null else it.failure() }

    override fun value(): Any? = if (asOutcome) ended().outcome() else last

    override fun outcome(): RetryOutcome<Any?> = ended().outcome()

    private fun ended(): EndedCall {
        check(end != null) { "the call has not ended: it wants $next" }
        return EndedCall(setup, state, record(), attempts, last, lastThrew)
    }

    /** What the end of an attempt means. What the attempt before it gave is [before]. */
    private inline fun judge(before: Any?, verdict: () -> Verdict) = try {
        decide(before, verdict())
    } catch (e: Throwable) {
        breaks(e)
    }

    private fun decide(before: Any?, verdict: Verdict) {
        val now = if (state.isTimed) setup.clock.nanoTime() else 0
        if (setup.isAdaptive) setup.answered(verdict, if (lastThrew) null else last, lastFailure, record().sentAt, now)
        val events = events?.at(now)
        if (verdict is Verdict.Accept) {
            val accepted = setup.machine.next(state, Report.Judged.ACCEPTED, now, setup.draws, events)
            hasToDiscard = false
            isAccepted = true
            // Of a result that is handed over here and now nothing more is told, unless a listener is there.
            if (events == null && !lastThrew && !asOutcome && !kind.isReported) return
            keep(before)
            return finish(accepted)
        }
        keep(before)
        val result = if (lastThrew) null else last
        val full = setup.withServerDelay(verdict, result, lastFailure, events)
        events?.attemptFailed(state.attempt, lastFailure, result, full)
        val report = Report.Judged(full, lastFailure, result)
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

    /** The call ends with [decision], once. */
    private fun finish(decision: Decision) {
        val record = record()
        record.end = decision
        if (holdsPermit) setup.sendRate!!.putBack()
        holdsPermit = false
        val giveUp = decision as? Decision.GiveUp
        giveUp?.thrown?.let { record.breaks(it, lastFailure) }
        next = when {
            giveUp?.thrown != null -> beforeEnd()
            giveUp != null && giveUp.delayNanos > 0 -> NextStep.WAIT
            else -> NextStep.DONE
        }
        record.events?.ended(decision, attempts, state)
    }

    /** The caller no longer wants the call. One that has ended, and was still to wait, throws [cause] all the same. */
    private fun cancels(cause: Throwable): RetryCall {
        if (end == null) finish(decision(Report.cancelled(hasBegun)))
        record().cancels(cause)
        next = beforeEnd()
        return this
    }

    /** Code of others [threw][thrown] instead of doing its part. A call that has ended stays as it ended. */
    private fun breaks(thrown: Throwable): RetryCall {
        if (end == null) {
            if (hasBegun) events?.atTimeOf(setup.clock)?.broke(state.attempt, thrown)
            finish(decision(Report.Broken(thrown, hasBegun)))
        } else {
            (record?.thrown ?: lastFailure)?.carry(thrown)
            // A result that the caller is to have, once its wait is over, is not discarded because the wait broke.
            next = if (record?.thrown == null) NextStep.DONE else beforeEnd()
        }
        return this
    }

    /** The machine's word on a [report] that ends the call; without the quota if that is what is broken. */
    private fun decision(report: Report): Decision.GiveUp = try {
        setup.machine.next(state, report, 0, setup.draws, events?.atTimeOf(setup.clock))
    } catch (_: Throwable) {
        RetryMachine(setup.policy, null).next(state, report, 0, setup.draws)
    } as Decision.GiveUp

    private fun record(): CallRecord = record ?: CallRecord(null).also { record = it }

    private fun waits() = if (state.delayNanos > 0) next = NextStep.WAIT else pays()

    private fun beforePermit() = if (setup.isAdaptive) NextStep.PERMIT else beforeAttempt()

    private fun beforeAttempt() = if (hasToDiscard) NextStep.DISCARD else NextStep.ATTEMPT

    private fun beforeEnd() = if (hasToDiscard) NextStep.DISCARD else NextStep.DONE

    private fun inTurn(step: NextStep) = check(next == step) { "the call wants $next, not $step" }

    override fun toString(): String = "call(${state.options}, attempt $attempts, $next)"
}
