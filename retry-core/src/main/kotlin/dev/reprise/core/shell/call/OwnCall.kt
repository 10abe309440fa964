package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.DeadlineException
import dev.reprise.core.FailedAttempt
import dev.reprise.core.FailureKind
import dev.reprise.core.NoPermit
import dev.reprise.core.NoPermitException
import dev.reprise.core.Repeat
import dev.reprise.core.ResultNote
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.MachineInput
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.saturatingAdd

/**
 * A call that is told apart from others: it has a listener or a limit, waits for a permit, or its first attempt failed. Turns
 * reports into steps, and ends once, as the machine decides, whatever code of others (classifier, quota, clock) throws on the
 * way.
 */
internal class OwnCall(private val first: FirstCall, state: RetryState, private val isOutcome: Boolean) : RetryCall() {
    override val setup: CallSetup get() = first.setup
    private val kind: ResultKind get() = first.kind

    var state: RetryState = state
        private set

    // A waiting call holds no more than this: there may be many.
    private var history: CallHistory? = setup.audience?.let { CallHistory(CallEvents(setup, it, state)) }
    private var end: CallEnd? = null

    /** How many calls had given up when the last attempt began. */
    var since = first.since
        private set
    private var lastThrew = false
    private var hasBegun = false
    private var hasToDiscard = false
    private var holdsPermit = false

    /** What the last attempt means, if its call may go on. */
    private var judged: Verdict? = null

    /** The scope of the last attempt, if its outcome carries a mark. */
    var scope: AttemptScope? = null
        private set

    /** Says where the call was made, once it has ended; `null` where only attempts do. */
    var made: AttemptScope? = null
        private set

    /** The result or the exception of the last attempt. */
    var last: Any? = null
        private set

    override var next: NextStep = beforePermit()
        private set

    /** All waits of the call between attempts, in ns. */
    val totalDelayNanos: Long get() = saturatingAdd(state.totalDelayNanos, history?.paymentNanos ?: 0)

    override val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null
    override val lastResult: Any? get() = if (lastThrew) null else last
    val attempts: Int get() = if (hasBegun) state.attempt else state.attempt - 1

    /** The first few failures before the last attempt, and the last few, for the trace. */
    var failures: FailedAttempt? = null
        private set

    private val race: HedgeRace? get() = if (state.attempt == 1) history?.race else null
    private val sentAt: Long get() = history().attempt!!.startedAt
    private val events: CallEvents? get() = history?.events

    /** Why the call ended, or `null` while it goes on. It may still have to wait, or to discard something. */
    val reason: StopReason? get() = end?.reason

    override val hasEnded: Boolean get() = end != null

    override val delayNanos: Long
        get() = (end?.decision as? Decision.GiveUp)?.delayNanos
            ?: history?.longerNanos?.takeIf { it > 0 } ?: maxOf(0, state.delayNanos)

    override val deadlineAt: Long get() = atTime(deadlineNanos)

    override val permitUntil: Long get() = atTime(minOf(deadlineNanos, stopAfterNanos))

    private val deadlineNanos get() = setup.policy.deadlineOf(state.options)

    /** How long after the call began its next attempt may begin, which counts for retries alone. */
    private val stopAfterNanos get() = if (state.attempt > 1) setup.policy.stopAfterNanos else UNLIMITED_NANOS

    private fun atTime(limit: Long) = if (limit == UNLIMITED_NANOS) limit else state.startedAt + limit

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
        hasBegun = true
        if (state.isTimed) watched(sentAt)
        return this
    }

    override fun asLongPoll(): RetryCall {
        state = state.longPoll()
        return this
    }

    // Between two attempts

    override fun waited() {
        inTurn(NextStep.WAIT)
        if (end == null) return pays()
        history?.attempt?.paused(delayNanos)
        next = NextStep.DONE
    }

    /** The wait is over: the retry is made if it is paid for, or later, or not at all. Only a shared quota is asked. */
    private fun pays() {
        val now = now()
        if (endsIfTooLate(now)) return
        val shared = setup.quota as? SharedQuota
        val longer = if (shared == null || state.lastCost == 0) 0 else shared.confirm(state.lastCost)
        if (longer < 0) return endsUnsent(decision(MachineInput.UNPAID))
        if (longer > 0) tooLate(now, longer)?.let { return endsUnsent(decision(it)) }
        if (longer > 0) history().waitsOn(longer) else history?.longerNanos = 0
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

    /**
     * Ends the call if a limit of its time is reached [now], or in a wait of [aheadNanos] that has not begun, before an attempt that
     * would have no time: a call may begin too late, and a timer is never early, but late.
     */
    private fun endsIfTooLate(now: Long, aheadNanos: Long = 0): Boolean {
        val late = tooLate(now, aheadNanos) ?: return false
        if (aheadNanos > 0) state = state.unwaited()
        endsUnsent(decision(late))
        return true
    }

    /** The limit that is reached [now], or after [aheadNanos] more; `null` for none. */
    private fun tooLate(now: Long, aheadNanos: Long): MachineInput? {
        fun isReached(limit: Long) = limit != UNLIMITED_NANOS && state.startedAt + limit - now <= aheadNanos
        return when {
            isReached(deadlineNanos) -> MachineInput.TOO_LATE
            isReached(stopAfterNanos) -> MachineInput.OUT_OF_TIME
            else -> null
        }
    }

    override fun permitRefused() {
        inTurn(NextStep.PERMIT)
        // A call that waits as long as it takes is refused only because a limit of its time comes first.
        val isTime = setup.policy.onNoPermit == NoPermit.Wait && stopAfterNanos < deadlineNanos
        endsUnsent(decision(if (isTime) MachineInput.OUT_OF_TIME else MachineInput.NO_PERMIT))
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
        val now = if (at == RetryState.UNCLOCKED) now() else at
        // One that is reported late, perhaps at its end, began after the one before it: what a retrier gave up on since is its own.
        if (at == RetryState.UNCLOCKED) since = GiveUps.now()
        hasBegun = true
        holdsPermit = false
        return if (state.isTimed) watched(now) else PlainAttempt(setup, state, lastFailure)
    }

    private fun watched(now: Long): Attempt {
        events?.at(now)?.attemptStarted(state.attempt)
        return WatchedAttempt(setup, state, lastFailure, events?.callId ?: 0, now).also { history().attempt = it }
    }

    override fun race(): HedgeRace? {
        val hedges = setup.hedges ?: return null
        if (state.attempt > 1 || state.options.repeatOfBlock != Repeat.SAFE) return null
        val race = HedgeRace(setup, hedges, state.options, events, history().attempt!!, since) { hasEnded }
        if (race.delayNanos == UNLIMITED_NANOS) return null
        history().race = race
        return race
    }

    override fun madeIn(scope: AttemptScope) {
        made = scope
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
        this.scope = scope
        val isAccepted = judge(result, threw = false, verdict)
        return if (isAccepted && !isOutcome) null else this
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?, scope: AttemptScope?): RetryCall {
        inTurn(NextStep.ATTEMPT)
        // There was no attempt to fail: the clock threw in its place.
        if (!hasBegun) return broke(failure)
        if (thrown == Thrown.CANCELLATION) return cancels(failure)
        val judged = runCatching { race?.verdictOn(failure) ?: setup.judge.verdictOn(failure, thrown, verdict) }
        this.scope = scope
        judge(failure, threw = true, judged)
        return this
    }

    /** The machine decides after an attempt that gave, or [threw], [outcome]. Returns whether that is accepted. */
    private fun judge(outcome: Any?, threw: Boolean, verdict: Result<Verdict>): Boolean {
        val before = last
        last = outcome
        lastThrew = threw
        try {
            val judged = state.options.whenRetriedBelow(setup.policy).on(verdict.getOrThrow())
            val now = now()
            if (setup.isAdaptive) setup.answered(judged, lastResult, lastFailure, race?.sentAt ?: sentAt, now)
            setup.hedges?.let { learns(it, judged, now) }
            events?.at(now)
            if (judged is Verdict.Accept) accepts(before, now) else rejects(before, judged, now)
            return judged is Verdict.Accept
        } catch (e: Throwable) {
            breaks(e)
            return false
        }
    }

    /** Learns from the first attempt how long it takes, or at least takes, and what became of its copy. */
    private fun learns(hedges: Hedges, verdict: Verdict, now: Long) {
        race?.let { if (it.hasCopy) hedges.budget.copyEnded(it.hasCopyWon && verdict is Verdict.Accept) }
        val isTime = verdict is Verdict.Accept || (verdict is Verdict.Retry && verdict.kind == FailureKind.TIMEOUT)
        if (state.attempt > 1 || !isTime || race?.tellsTime == false) return
        hedges.took(state.options.label, now - sentAt, now)
    }

    /** The attempt is accepted; the one before it gave [before]. */
    private fun accepts(before: Any?, now: Long) {
        // A success gives back what a copy took, as it does what a retry took.
        val paid = history?.race?.let { state.withCopy(it.tokens) } ?: state
        val accepted = setup.machine.next(paid, MachineInput.Judged.ACCEPTED, now, setup.draws, events)
        hasToDiscard = false
        // An accepted result is returned at once; without a listener there is nothing to record.
        if (events == null && !lastThrew && !isOutcome) return
        keep(before)
        finish(accepted)
    }

    private fun rejects(before: Any?, verdict: Verdict, now: Long) {
        keep(before)
        val marked = setup.judge.marked(verdict, last, since, scope)
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
        val report = MachineInput.Judged(verdict, lastFailure, lastResult, mayRepeat)
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

    /** Keeps for the trace what the attempt before the last one failed with. */
    private fun keep(before: Any?) {
        val number = state.attempt - 1
        if (!setup.policy.trace || number == 0) return
        val isFull = number > RetryTrace.KEPT_FIRST + RetryTrace.KEPT_LAST
        val earlier = if (isFull) failures?.without(RetryTrace.KEPT_LAST - 1) else failures
        failures = FailedAttempt(number, before, state.delayNanos, earlier)
    }

    // How it ends

    /** The call ends with [decision], once; the [verdict] on its last attempt may be why. */
    private fun finish(decision: Decision, verdict: Verdict? = null): CallEnd {
        val giveUp = decision as? Decision.GiveUp
        val isRetriedBelow = verdict is Verdict.Retry && verdict.isRetriedBelow
        val couldRetry = state.options.attemptsOf(setup.policy) > 1
        val gaveUp = isRetriedBelow || (couldRetry && giveUp?.reason?.isGiveUp == true)
        val end = CallEnd(this, decision, verdict, gaveUp)
        this.end = end
        // A success tells nothing: without a listener it would not come by here. Nor does a caller who wants no end.
        val isTold = giveUp != null && giveUp.reason != StopReason.CANCELLED
        if (isTold) (state.options.served as ServedRequest?)?.callEnded(gaveUp, lastFailure)
        if (holdsPermit) setup.sendRate!!.putBack()
        holdsPermit = false
        giveUp?.thrown?.let { thrown ->
            lastFailure?.let { thrown.carry(it) }
            end.thrown = thrown
        }
        next = when {
            end.thrown != null -> beforeEnd()
            giveUp != null && giveUp.delayNanos > 0 -> NextStep.WAIT
            else -> NextStep.DONE
        }
        events?.ended(decision, attempts, totalDelayNanos, lastResult)
        return end
    }

    /** The call ends with [refused] instead of its next attempt; the last one's result may be gone, or there was none. */
    private fun endsUnsent(refused: Decision.GiveUp) {
        val end = finish(refused)
        val hasNothing = attempts == 0 || last is ResultNote
        if (hasNothing) {
            val isLate = refused.reason == StopReason.DEADLINE || refused.reason == StopReason.TIME
            end.thrown = if (isLate) DeadlineException(attempts) else NoPermitException(refused.reason, attempts)
        }
        next = NextStep.DONE
    }

    override fun broke(thrown: Throwable): RetryCall =
        if (Thrown.meaningOf(thrown) == Thrown.CANCELLATION) cancels(thrown) else breaks(thrown)

    /** The caller cancelled the call by [cause], which is thrown as it is, also if the call had ended and was still to wait. */
    private fun cancels(cause: Throwable): RetryCall {
        val end = end ?: finish(decision(MachineInput.cancelled(hasBegun)))
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
            finish(decision(MachineInput.broken(thrown, hasBegun)))
        } else {
            (end.thrown ?: lastFailure)?.carry(thrown)
            // A result that the caller is to have, once its wait is over, is not discarded because the wait broke.
            next = if (end.thrown == null) NextStep.DONE else beforeEnd()
        }
        return this
    }

    private fun decision(input: MachineInput): Decision.GiveUp =
        setup.machine.next(state, input, 0, setup.draws, events?.atTimeOf(setup.clock)) as Decision.GiveUp

    override fun failure(): Throwable? {
        val end = ended()
        return if (isOutcome && !end.isCancelled) null else end.failure()
    }

    override fun value(): Any? = if (isOutcome) outcome() else last

    override fun outcome(): RetryOutcome<Any?> = ended().outcome()

    private fun ended(): CallEnd = checkNotNull(end) { "the call has not ended: it wants $next" }

    private fun history(): CallHistory = history ?: CallHistory(events = null).also { history = it }

    private fun now(): Long = if (state.isTimed) setup.clock.nanoTime() else 0

    private fun inTurn(step: NextStep) = check(next == step) { "the call wants $next, not $step" }

    override fun toString(): String = "call(${state.options}, attempt $attempts, $next)"
}

/** The parts of a call that most calls have no need of: a call that waits after its first failure has none. */
private class CallHistory(val events: CallEvents?) {
    /** The attempt that began last, of a call that is timed. */
    var attempt: WatchedAttempt? = null

    /** The race of the first attempt, of a call that may send a copy. */
    var race: HedgeRace? = null

    /** How much longer the call waits for a shared quota to pay, in ns, and how long it has waited for it in all. */
    var longerNanos = 0L
    var paymentNanos = 0L
        private set

    fun waitsOn(nanos: Long) {
        longerNanos = nanos
        paymentNanos = saturatingAdd(paymentNanos, nanos)
    }
}
