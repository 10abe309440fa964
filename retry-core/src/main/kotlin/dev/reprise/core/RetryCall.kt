package dev.reprise.core

import dev.reprise.core.backoff.UNLIMITED_NANOS
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.classify.httpOf
import dev.reprise.core.classify.wishOf
import dev.reprise.core.rate.NoPermit

/**
 * One call in progress: [RetryMachine]'s state together with what the call's end will tell. For those who write a shell;
 * every shell drives it through the same named steps, and so every face gives the same answers and the same events:
 *
 * ```
 * begin                              only if somebody looks on; else the call is made when its first attempt fails
 * permitted | permitRefused          adaptive mode only
 * attemptStarts
 * completed | failed | cancelled     then: wait delayNanos; if isOver, end with result(); else go round
 * ```
 *
 * Confined to one call, and not thread-safe; a shell that hops threads hands it over safely. Does no I/O, starts no thread
 * and never waits.
 */
public class RetryCall @JvmOverloads constructor(
    /** What this call shares with others. */
    public val setup: CallSetup,
    options: CallOptions = CallOptions.DEFAULT,
    /** When the first attempt was sent, on the setup's clock, of a metered call that is made when it fails. */
    sentAt: Long = NEVER,
) : Attempt {
    private var state = if (sentAt == NEVER) options.firstUnclocked() else RetryState.first(sentAt, options)
    private var last: Any? = null
    private var lastThrew = false
    private var previous: Any? = null
    private var lastVerdict: Verdict? = null
    private var end: Ending? = null
    private var log: TraceLog? = null

    // Of a call that reads the clock, when its attempt was sent; of one that does not, when it first had to wait.
    private var markedAt = sentAt

    private val listeners: Listeners? get() = setup.audience

    /** What the caller said about this call. */
    public val options: CallOptions get() = state.options

    /** How many attempts have begun. */
    public var attempts: Int = 1
        private set

    /** What to wait before going on, or before ending, in ns. */
    public val delayNanos: Long
        get() = end?.delayNanos ?: if (isWaiting) state.previousDelayNanos.coerceAtLeast(0) else 0

    /** Why the call ended, or `null` while it goes on. */
    public val reason: StopReason? get() = end?.reason

    /** Whether the call has ended. */
    public val isOver: Boolean get() = end != null

    /** Whether the call ended with an accepted result. */
    public val isAccepted: Boolean get() = end === Decision.Accept

    /** All waits between attempts so far, in ns. */
    public val totalDelayNanos: Long get() = state.totalDelayNanos

    /** What the last attempt's outcome meant, or `null` before the first one ended. */
    public val verdict: Verdict? get() = lastVerdict

    /** When the policy's deadline is reached, in ns of the setup's clock; [UNLIMITED_NANOS] if it has none. */
    public val deadlineAt: Long
        get() = setup.policy.deadlineNanos.let { if (it == UNLIMITED_NANOS) it else state.startedAt + it }

    override val number: Int get() = attempts

    override val isLast: Boolean get() = attempts >= setup.policy.maxAttempts

    override val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null

    override val timeLeftNanos: Long
        get() {
            val policy = setup.policy
            if (!policy.isTimed) return UNLIMITED_NANOS
            val now = setup.clock.nanoTime()
            val ofAttempt = policy.attemptTimeoutNanos.let { if (it == UNLIMITED_NANOS) it else it - (now - markedAt) }
            val ofCall = policy.deadlineNanos.let { if (it == UNLIMITED_NANOS) it else it - (now - state.startedAt) }
            return minOf(ofAttempt, ofCall).coerceAtLeast(0)
        }

    /** The call begins. */
    public fun begin() {
        attempts = 0
        val startedAt = setup.clock.nanoTime()
        state = RetryState.first(startedAt, options)
        tell { RetryEvent.CallStarted(this, startedAt) }
    }

    /** A send permit was had after a wait of [waitNanos]. */
    public fun permitted(waitNanos: Long) {
        if (waitNanos > 0) tell { RetryEvent.PermitWaited(this, now(), waitNanos) }
    }

    /** There is no send permit, and the policy does not wait for one (that long): the call ends and costs nothing. */
    public fun permitRefused() {
        checkRunning()
        withdrawRetry()
        val waits = setup.policy.onNoPermit == NoPermit.Wait
        val reason = if (waits) StopReason.DEADLINE else StopReason.RATE_LIMITED
        ends(Decision.GiveUp.of(reason), now())
        if (attempts == 0) {
            last = NoPermitException(reason)
            lastThrew = true
        }
    }

    /** An attempt begins. */
    public fun attemptStarts() {
        checkRunning()
        attempts = state.attempt
        if (setup.isPlain) return
        markedAt = setup.clock.nanoTime()
        tell { RetryEvent.AttemptStarted(this, markedAt, attempts) }
    }

    /** The attempt returned [result]. Afterwards the call is over, or wants another attempt. */
    public fun completed(result: Any?) {
        checkRunning()
        remember(result, threw = false)
        val verdict =
            try {
                setup.verdictOn(result)
            } catch (e: Exception) {
                return brokenClassifier(e)
            }
        decide(verdict)
    }

    /**
     * The attempt threw [failure], which is not a cancellation. Where the classifier has no opinion, [otherwise] decides:
     * a shell knows of timeouts that no table does. Afterwards the call is over, or wants another attempt.
     */
    @JvmOverloads
    public fun failed(failure: Throwable, otherwise: Verdict = Verdict.Reject) {
        checkRunning()
        remember(failure, threw = true)
        val verdict =
            try {
                setup.policy.classifier.classifyFailure(failure)
                    ?: if (failure is AttemptTimeoutException) Verdict.TIMEOUT else otherwise
            } catch (e: Exception) {
                if (e !== failure) e.addSuppressed(failure)
                return brokenClassifier(e)
            }
        decide(verdict)
    }

    /** The caller cancelled: in the attempt, in a wait, or between. A retry that was paid for and not begun comes back. */
    public fun cancelled() {
        if (isOver) return
        withdrawRetry()
        end = Decision.GiveUp(StopReason.CANCELLED, delayNanos) // the wait, if it was cut short
        tell { RetryEvent.CallCancelled(this, now(), attempts) }
    }

    /**
     * What the ended call gives its caller: the last attempt's result, or its own exception thrown with a suppressed
     * [RetryTrace].
     */
    @Suppress("UNCHECKED_CAST")
    public fun <T> result(): T {
        if (!isAccepted || lastThrew) failure()?.let { throw it }
        return last as T
    }

    /**
     * What the ended call throws, with a suppressed [RetryTrace]; `null` if it returns something. The same object each time.
     */
    public fun failure(): Throwable? {
        val reason = checkNotNull(reason) { "the call has not ended" }
        log?.thrown?.let { return it }
        val throws = setup.policy.onBadResult == OnBadResult.THROW && !isAccepted
        val failure =
            when {
                lastThrew -> last as Throwable
                throws -> BadResultException(last, attempts, reason)
                else -> return null
            }
        val trace = trace()
        if (trace != null) RetryTrace.attach(failure, trace)
        // Without a trace an exception of the caller's own needs no keeping.
        if (trace != null || !lastThrew) log().thrown = failure
        return failure
    }

    /** The ended call as a [RetryOutcome]. */
    @Suppress("UNCHECKED_CAST")
    public fun <T> outcome(): RetryOutcome<T> {
        val failure = failure()
        val reason = reason!!
        val trace = trace()
        if (isAccepted) return RetryOutcome.Success(last as T, attempts, totalDelayNanos, trace)
        if (lastThrew) return RetryOutcome.Failure(failure!!, attempts, totalDelayNanos, reason, trace)
        return RetryOutcome.BadResult(last as T, attempts, totalDelayNanos, reason, trace, failure)
    }

    private fun decide(verdict: Verdict) = if (verdict is Verdict.Accept) accepted() else refused(verdict)

    private fun accepted() {
        val now = now()
        judged(Verdict.Accept, now)
        ends(setup.machine.accept(state, observer(now)), now)
    }

    private fun refused(verdict: Verdict) {
        val now = now()
        val full = if (verdict is Verdict.Retry && !verdict.hasServerDelay) withWish(verdict, now) else verdict
        judged(full, now)
        if (setup.policy.trace) logPrevious()
        tell { RetryEvent.AttemptFailed(this, now, attempts, lastFailure, if (lastThrew) null else last, full) }
        val observer = observer(now)
        val step =
            try {
                setup.machine.step(state, full, now, setup.draws, observer)
            } catch (e: Exception) {
                return brokenBackoff(e, now)
            }
        // The state is asked for first: it is of one class, and a failure mostly leads to one.
        when (step) {
            is RetryState -> {
                state = step
                if (step.previousDelayNanos > 0 && markedAt == NEVER) markedAt = setup.clock.nanoTime()
                observer?.tellScheduled()
            }

            is Ending -> ends(step, now)
        }
    }

    private fun judged(verdict: Verdict, now: Long) {
        lastVerdict = verdict
        setup.sendRate?.record(verdict is Verdict.Retry && verdict.kind == FailureKind.THROTTLING, markedAt, now)
    }

    private fun observer(now: Long): CallEvents? = listeners?.let { CallEvents(this, it, now) }

    /** [verdict] with the wish of the server, if its response has one that the policy follows. */
    private fun withWish(verdict: Verdict.Retry, now: Long): Verdict.Retry {
        val rules = setup.policy.serverDelays
        if (rules.isEmpty()) return verdict
        val response = (if (lastThrew) httpOf(last as Throwable) else last as? HttpOutcome) ?: return verdict
        val wish = rules.wishOf(response) { tell { RetryEvent.ServerDelayIgnored(this, now, it) } } ?: return verdict
        return verdict.withServerDelay(wish)
    }

    private fun brokenClassifier(failure: Exception) {
        last = failure
        lastThrew = true
        refused(Verdict.Reject)
    }

    private fun brokenBackoff(failure: Exception, now: Long) {
        if (lastThrew && last !== failure) failure.addSuppressed(last as Throwable)
        last = failure
        lastThrew = true
        ends(Decision.GiveUp.of(StopReason.REJECTED), now)
    }

    private fun ends(end: Ending, now: Long) {
        this.end = end
        tell {
            if (isAccepted) {
                RetryEvent.CallSucceeded(this, now, attempts, totalDelayNanos)
            } else {
                RetryEvent.CallGaveUp(this, now, attempts, totalDelayNanos, end.reason, end.delayNanos)
            }
        }
    }

    /** Takes note of an outcome; the one before it is kept until the verdict says whether it is worth a log. */
    private fun remember(outcome: Any?, threw: Boolean) {
        previous = last
        last = outcome
        lastThrew = threw
    }

    private fun logPrevious() {
        if (attempts > 1) log().add(attempts - 1, previous, state.previousDelayNanos)
    }

    private fun log(): TraceLog = log ?: TraceLog().also { log = it }

    /** Whether another attempt is decided on and has not begun. */
    private val isWaiting: Boolean get() = state.attempt > attempts

    private val isClocked: Boolean get() = state.startedAt != RetryState.UNCLOCKED

    private fun withdrawRetry() {
        if (!isWaiting || state.lastCost == 0) return
        val refunded = setup.quota?.refund(state.lastCost) ?: 0
        if (refunded > 0) tell { RetryEvent.QuotaRefunded(this, now(), refunded, setup.quota!!.available) }
    }

    /** What the ended call went through, or `null` if that is not wanted, or is no more than one accepted attempt. */
    public fun trace(): RetryTrace? {
        if (!setup.policy.trace || reason == StopReason.CANCELLED) return null
        log?.trace?.let { return it }
        if (isAccepted && attempts == 1) return null
        if (isAccepted) logPrevious()
        val failures = log?.all().orEmpty()
        val waitedInVain = if (isWaiting) state.previousDelayNanos else 0
        val final = if (isAccepted || attempts == 0) null else FailedAttempt(attempts, outcomeText(last), waitedInVain)
        val from = if (isClocked) state.startedAt else markedAt
        val elapsed = if (from == NEVER) -1 else setup.clock.nanoTime() - from
        return RetryTrace(
            attempts,
            reason!!,
            totalDelayNanos,
            elapsed,
            isClocked,
            failures + listOfNotNull(final),
        )
            .also { log().trace = it }
    }

    private fun checkRunning() = check(!isOver) { "the call has ended: $reason" }

    /** The time, if anyone wants to know it; for a plain call only its trace does. */
    private fun now(): Long = if (isClocked) setup.clock.nanoTime() else 0

    private inline fun tell(event: () -> RetryEvent) {
        listeners?.onEvent(event())
    }

    override fun toString(): String = "call($options, attempt $attempts${reason?.let { ", $it" } ?: ""})"

    public companion object {
        /** No clock reads this. */
        public const val NEVER: Long = RetryState.UNCLOCKED
    }
}
