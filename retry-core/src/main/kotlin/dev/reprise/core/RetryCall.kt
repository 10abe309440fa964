package dev.reprise.core

import dev.reprise.core.backoff.UNLIMITED_NANOS
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.ServerDelay
import dev.reprise.core.classify.ServerDelayHeader
import dev.reprise.core.classify.Verdict
import dev.reprise.core.classify.httpOf
import dev.reprise.core.rate.NoPermit

/**
 * One call in progress: [RetryMachine]'s state together with what the call's end will tell. For those who write a shell;
 * every shell drives it through the same named steps, and so every face gives the same answers and the same events:
 *
 * ```
 * begin                              only if the setup is not plain; else the call is made on the first failure
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
    /** What the caller said about this call. */
    public val options: CallOptions = CallOptions.DEFAULT,
    listener: RetryListener? = null,
) : Attempt {
    private val listeners: Listeners? = Listeners.join(setup.audience, listener)
    private var state: RetryState = RetryState.first(0, options)
    private var log: TraceLog? = null
    private var last: Any? = null
    private var lastThrew = false
    private var lastVerdict: Verdict? = null
    private var startedAt = NEVER
    private var firstFailedAt = NEVER
    private var trace: RetryTrace? = null
    private var thrown: Throwable? = null
    private var sentAt = 0L

    /** How many attempts have begun. */
    public var attempts: Int = 1
        private set

    /** What to wait before going on, or before ending, in ns. */
    public var delayNanos: Long = 0
        private set

    /** Why the call ended, or `null` while it goes on. */
    public var reason: StopReason? = null
        private set

    /** Whether the call has ended. */
    public val isOver: Boolean get() = reason != null

    /** Whether the call ended with an accepted result. */
    public val isAccepted: Boolean get() = reason == StopReason.SUCCESS

    /** All waits between attempts so far, in ns. */
    public val totalDelayNanos: Long get() = state.totalDelayNanos

    /** What the last attempt's outcome meant, or `null` before the first one ended. */
    public val verdict: Verdict? get() = lastVerdict

    /** When the policy's deadline is reached, in ns of the setup's clock; [UNLIMITED_NANOS] if it has none. */
    public val deadlineAt: Long
        get() = setup.policy.deadlineNanos.let { if (it == UNLIMITED_NANOS) it else startedAt + it }

    override val number: Int get() = attempts

    override val isLast: Boolean get() = attempts >= setup.policy.maxAttempts

    override val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null

    override val timeLeftNanos: Long
        get() {
            val policy = setup.policy
            if (!policy.isTimed) return UNLIMITED_NANOS
            val now = setup.clock.nanoTime()
            val ofAttempt = policy.attemptTimeoutNanos.let { if (it == UNLIMITED_NANOS) it else it - (now - sentAt) }
            val ofCall = policy.deadlineNanos.let { if (it == UNLIMITED_NANOS) it else it - (now - startedAt) }
            return minOf(ofAttempt, ofCall).coerceAtLeast(0)
        }

    /** The call begins. */
    public fun begin() {
        attempts = 0
        startedAt = setup.clock.nanoTime()
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
        delayNanos = 0
        val waits = setup.policy.onNoPermit == NoPermit.Wait
        stop(if (waits) StopReason.DEADLINE else StopReason.RATE_LIMITED, now())
        if (attempts == 0) {
            last = NoPermitException(reason!!)
            lastThrew = true
        }
    }

    /** An attempt begins. */
    public fun attemptStarts() {
        checkRunning()
        attempts = state.attempt
        delayNanos = 0
        if (setup.isPlain && listeners == null) return
        sentAt = setup.clock.nanoTime()
        tell { RetryEvent.AttemptStarted(this, sentAt, attempts) }
    }

    /** The attempt returned [result]. Afterwards the call is over, or wants another attempt. */
    public fun completed(result: Any?) {
        checkRunning()
        remember(result, threw = false)
        val verdict =
            try {
                setup.policy.classifier.classifyResult(result) ?: Verdict.Accept
            } catch (e: Exception) {
                return brokenClassifier(e)
            }
        decide(verdict, result as? HttpOutcome)
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
        decide(verdict, if (verdict is Verdict.Retry) httpOf(failure) else null)
    }

    /** The caller cancelled: in the attempt, in a wait, or between. A retry that was paid for and not begun comes back. */
    public fun cancelled() {
        if (isOver) return
        withdrawRetry()
        reason = StopReason.CANCELLED
        tell { RetryEvent.CallCancelled(this, now(), attempts) }
    }

    /**
     * What the ended call gives its caller: the last attempt's result, or its own exception thrown with a suppressed
     * [RetryTrace].
     */
    @Suppress("UNCHECKED_CAST")
    public fun <T> result(): T {
        failure()?.let { throw it }
        return last as T
    }

    /**
     * What the ended call throws, with a suppressed [RetryTrace]; `null` if it returns something. The same object each time.
     */
    public fun failure(): Throwable? {
        val reason = checkNotNull(reason) { "the call has not ended" }
        if (thrown != null) return thrown
        val throws = setup.policy.onBadResult == OnBadResult.THROW && !isAccepted
        val failure =
            when {
                lastThrew -> last as Throwable
                throws -> BadResultException(last, attempts, reason)
                else -> return null
            }
        trace()?.let { RetryTrace.attach(failure, it) }
        return failure.also { thrown = it }
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

    private fun decide(verdict: Verdict, http: HttpOutcome?) {
        val now = now()
        val hasWish = verdict is Verdict.Retry && verdict.serverDelay == null && http != null
        val full = if (hasWish) withWish(verdict, http, now) else verdict
        lastVerdict = full
        setup.sendRate?.record(full is Verdict.Retry && full.kind == FailureKind.THROTTLING, sentAt, now)
        if (full !== Verdict.Accept) {
            tell { RetryEvent.AttemptFailed(this, now, attempts, lastFailure, if (lastThrew) null else last, full) }
        }
        val observer = listeners?.let { CallEvents(this, it, now) }
        when (val decision = setup.machine.next(state, full, now, setup.draws, observer)) {
            Decision.Accept -> {
                reason = StopReason.SUCCESS
                tell { RetryEvent.CallSucceeded(this, now, attempts, totalDelayNanos) }
            }

            is Decision.GiveUp -> {
                delayNanos = decision.delayNanos
                stop(decision.reason, now)
            }

            is Decision.RetryAfter -> {
                delayNanos = decision.delayNanos
                state = decision.next
                observer?.tellScheduled()
            }
        }
    }

    /** [verdict] with the first wish of the server that the policy follows and that can be read. */
    private fun withWish(verdict: Verdict.Retry, http: HttpOutcome, now: Long): Verdict.Retry {
        for (rule in setup.policy.serverDelays) {
            if (!rule.statuses.isEmpty && http.status !in rule.statuses) continue
            val wish = rule.header.read(http)
            if (wish > ServerDelayHeader.UNREADABLE) return verdict.withServerDelay(ServerDelay(wish, rule))
            if (wish == ServerDelayHeader.UNREADABLE) tell { RetryEvent.ServerDelayIgnored(this, now, rule.header) }
        }
        return verdict
    }

    private fun brokenClassifier(failure: Exception) {
        last = failure
        lastThrew = true
        decide(Verdict.Reject, null)
    }

    private fun stop(why: StopReason, now: Long) {
        reason = why
        tell { RetryEvent.CallGaveUp(this, now, attempts, totalDelayNanos, why, delayNanos) }
    }

    /** Takes note of an outcome; the one before it goes to the log, which a call with one failure never needs. */
    private fun remember(outcome: Any?, threw: Boolean) {
        if (setup.policy.trace) {
            if (attempts > 1) {
                val log = log ?: TraceLog().also { log = it }
                log.add(attempts - 1, last, state.previousDelayNanos)
            } else if (startedAt == NEVER) {
                firstFailedAt = setup.clock.nanoTime()
            }
        }
        last = outcome
        lastThrew = threw
    }

    private fun withdrawRetry() {
        val isWaiting = state.attempt > attempts
        if (!isWaiting || state.lastCost == 0) return
        val refunded = setup.quota?.refund(state.lastCost) ?: 0
        if (refunded > 0) tell { RetryEvent.QuotaRefunded(this, now(), refunded, setup.quota!!.available) }
    }

    /** What the ended call went through, or `null` if that is not wanted, or is no more than one accepted attempt. */
    public fun trace(): RetryTrace? {
        if (trace != null || !setup.policy.trace || reason == StopReason.CANCELLED) return trace
        if (isAccepted && attempts == 1) return null
        val failures = log?.all().orEmpty()
        val waitedInVain = if (state.attempt > attempts) state.previousDelayNanos else 0
        val final = if (isAccepted || attempts == 0) null else FailedAttempt(attempts, outcomeText(last), waitedInVain)
        val from = if (startedAt != NEVER) startedAt else firstFailedAt
        val elapsed = if (attempts == 1 && startedAt == NEVER) -1 else setup.clock.nanoTime() - from
        return RetryTrace(
            attempts,
            reason!!,
            totalDelayNanos,
            elapsed,
            startedAt != NEVER,
            failures + listOfNotNull(final),
        )
            .also { trace = it }
    }

    private fun checkRunning() = check(!isOver) { "the call has ended: $reason" }

    /** The time, if anyone wants to know it; for a plain call only its trace does. */
    private fun now(): Long = if (startedAt == NEVER) 0 else setup.clock.nanoTime()

    private inline fun tell(event: () -> RetryEvent) {
        listeners?.onEvent(event())
    }

    override fun toString(): String = "call($options, attempt $attempts${reason?.let { ", $it" } ?: ""})"

    private companion object {
        /** No call starts at this reading of a clock. */
        const val NEVER = Long.MIN_VALUE
    }
}
