package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.FailureKind
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetriesSwitch
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.RateLimitFields
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.toNanosSaturated

/**
 * All that the calls of one client share: the policy, its quota and send rate, who listens, and where time and randomness
 * come from. A call keeps the setup that it began with; a shell swaps it whole when the policy is replaced. Immutable and
 * thread-safe.
 */
@ShellApi
public open class CallSetup @JvmOverloads constructor(
    /** How to retry. */
    public val policy: RetryPolicy,
    /** The quota, or `null` where retries are free. */
    public val quota: Quota?,
    /** The send rate, or `null` outside adaptive mode. */
    public val sendRate: SendRate?,
    /** The listeners of every call. */
    public val listeners: List<RetryListener>,
    /** The clock. */
    public val clock: NanoClock,
    /** The source of draws. */
    public val draws: RandomSource,
    /** The retrier's name, for events, logs and traces; `null` if it has none. */
    public val name: String? = null,
    /** The setup of the same client that this one is derived from, and shares the state of its copies with; `null` for none. */
    from: CallSetup? = null,
) {
    internal val machine = RetryMachine(policy, quota)
    internal val judge = Judge(policy, name)
    private val firsts = FirstCalls(this)

    /** Set aside under a policy without a hedge, for the next one that has it. */
    private val ownHedges: Hedges? =
        policy.hedge?.let { Hedges(it, quota, from?.ownHedges) } ?: from?.ownHedges
    internal val hedges: Hedges? = ownHedges.takeIf { !RetriesSwitch.isOff && policy.hedge != null }
    internal val audience: Listeners? = if (listeners.isEmpty()) null else Listeners(listeners)
    private val readsHints = policy.sendRate?.readsHints == true
    private val isUnwatched = listeners.isEmpty() && !policy.readsClock && policy.hedge == null

    /** Whether attempts need send permits. */
    public val isAdaptive: Boolean = sendRate != null

    /** Whether every call reads the clock. */
    private val isTimed = isAdaptive || !isUnwatched

    /**
     * Begins a call of [options] in a shell whose results are of [kind]. Where there is no listener and no limit, that
     * builds nothing; with a send permit that is there at once, no more than what remembers when the attempt was sent. The
     * [value][RetryCall.value] of a call [asOutcome] is a [RetryOutcome][dev.reprise.core.RetryOutcome].
     */
    @JvmOverloads
    public fun begin(options: CallOptions, kind: ResultKind, asOutcome: Boolean = false): RetryCall =
        if (asOutcome) own(bounded(options), kind, isOutcome = true) else beginBounded(bounded(options), kind)

    /** [begin] for a shell that has [bounded] the options itself, since it may have to [take over][takeOver] the call. */
    public fun beginBounded(options: CallOptions, kind: ResultKind): RetryCall = when {
        !isTimed(options) -> firsts.of(options, kind)
        isUnwatched && !options.isTimed -> metered(options, kind)
        else -> own(options, kind, isOutcome = false)
    }

    /**
     * Returns [options] with the [method] and the [host] of an HTTP request, for listeners and hedges: to them these name a call
     * without an operation. Where nothing reads that, or without a host, they are returned as they are.
     */
    public fun http(options: CallOptions, method: String, host: String?): CallOptions =
        if (host == null || (listeners.isEmpty() && hedges == null)) options else options.ofRequest(method, host)

    /** Logs the policy's warnings, each once. For a shell that was given the policy by its user. */
    public fun warn(): Unit = policy.warnings.forEach { WarningLog.tellMistake(it) }

    /** Logs [warning] once. For a shell that cannot keep a promise of the policy. */
    public fun warn(warning: String): Unit = WarningLog.tell(warning)

    /** Logs once [why] a hedge of the policy has no effect, if it has one. For a shell that sends no copies. */
    public fun warnOfHedge(why: String) {
        if (policy.hedge != null) warn("a policy has a hedge, and $why")
    }

    /** Where the time is read that the work around a call has left; `null` for nowhere. */
    protected open val deadlines: DeadlineSource? get() = null

    /**
     * These [options] of a call that begins now, bounded by the time that the work around it has left, if a source tells it.
     * [begin] does so itself, since the source is asked once for each call.
     */
    public fun bounded(options: CallOptions): CallOptions {
        val left = deadlines?.timeLeft() ?: return served(options)
        return served(options.within(left.toNanosSaturated()))
    }

    /** These [options] of a call that begins now, with the request that the thread works for. Its limit makes no deadline. */
    private fun served(options: CallOptions): CallOptions {
        val request = ServedRequest.current() ?: return options
        request.callBegins()
        val served = options.servedBy(request)
        val hasDeadline = policy.deadlineOf(options) != UNLIMITED_NANOS
        return if (hasDeadline) served.within(request.timeLeftNanos()) else served
    }

    /**
     * Takes over a call that began at [startedAt] and whose first attempt was sent at [sentAt], both readings of the clock: of
     * a shell that learns only from the first outcome whose call it is. Its [options] were [bounded] when it began. A permit
     * that it needed is used up; listeners hear now what happened then.
     */
    public fun takeOver(options: CallOptions, kind: ResultKind, startedAt: Long, sentAt: Long): RetryCall {
        val state = RetryState.first(if (isTimed(options)) startedAt else RetryState.UNCLOCKED, options)
        return OwnCall(firsts.of(CallOptions.DEFAULT, kind), state, isOutcome = false).beginsLate(sentAt)
    }

    /** Takes a send permit if one is there at [now] and no call waits for one; never waits. Not asked where none is needed. */
    public open fun takesPermit(now: Long): Boolean = false

    private fun metered(options: CallOptions, kind: ResultKind): RetryCall {
        // The clock first: once a permit is taken nothing may come between it and its attempt.
        val now = clock.nanoTime()
        return if (takesPermit(now)) firsts.of(options, kind).sentAt(now) else own(options, kind, isOutcome = false)
    }

    private fun isTimed(options: CallOptions) = isTimed || options.isTimed

    private fun own(options: CallOptions, kind: ResultKind, isOutcome: Boolean): RetryCall {
        val startedAt = if (isTimed(options)) clock.nanoTime() else RetryState.UNCLOCKED
        val first = firsts.of(CallOptions.DEFAULT, kind)
        return OwnCall(first, RetryState.first(startedAt, options), isOutcome).begins()
    }

    /** Tells the send rate how an attempt, sent at [sentAt], ended at [now], and what the server says of its limit. */
    internal fun answered(verdict: Verdict, result: Any?, failure: Throwable?, sentAt: Long, now: Long) {
        val outcome = when {
            verdict is Verdict.Accept -> RateOutcome.ACCEPTED
            verdict is Verdict.Retry && verdict.kind == FailureKind.THROTTLING -> RateOutcome.THROTTLED
            else -> RateOutcome.FAILED
        }
        val rate = sendRate!!
        rate.record(outcome, sentAt, now)
        val response = if (readsHints) judge.responseOf(verdict, result, failure) else null
        response?.let(RateLimitFields::read)?.let { rate.hint(it, now) }
    }
}
