package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.DeadlineSource
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.Rejections
import dev.reprise.core.Repeat
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Serving
import dev.reprise.core.Verdict
import dev.reprise.core.askedBy
import dev.reprise.core.httpOf
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.RateLimitFields
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.toNanosSaturated
import java.util.concurrent.atomic.AtomicInteger

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
    /** The number of the retrier: the same for all that are made of it, [LONE] for calls that stand alone. */
    public val retrier: Long = newRetrier(),
    /** The setup of the same client that this one is derived from, and shares the state of its copies with; `null` for none. */
    from: CallSetup? = null,
) {
    internal val machine = RetryMachine(policy, quota)

    /** Set aside under a policy without a hedge, for the next one that has it. */
    private val ownHedges: Hedges? =
        policy.hedge?.let { Hedges(it, quota, policy.quota?.cost ?: 0, from?.ownHedges) } ?: from?.ownHedges
    internal val hedges: Hedges? = ownHedges.takeIf { policy.hedge != null }
    internal val audience: Listeners? = if (listeners.isEmpty()) null else Listeners(listeners)
    private val scope = policy.classifier.resultScope
    private val judgesResponses = scope == ResultScope.HTTP || policy.honourShouldRetry
    private val readsHints = policy.sendRate?.readsHints == true
    private val isUnwatched = listeners.isEmpty() && !policy.readsClock && policy.hedge == null

    // No AtomicBoolean: the JVM loads eight classes for the first one of a program.
    private val hasJudgedUnit = AtomicInteger()

    // Made at the first failure that is not retried and has to be told.
    @Volatile
    private var madeNotRetried: NotRetried? = null
    private val notRetried: NotRetried
        get() = madeNotRetried ?: NotRetried(name?.let { oneLine(it) }).also { madeNotRetried = it }

    // First attempts with the default options, and with others that were used lately. A race makes two that are equal.
    private val firsts = firstAttempt(CallOptions.DEFAULT).let { attempt ->
        Array(KEPT + ResultKind.entries.size) {
            FirstCall(attempt, ResultKind.entries[it % ResultKind.entries.size], 0)
        }
    }

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
        !isTimed(options) -> firstOf(options, kind)
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
        val request = Serving.current() ?: return options
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
        return OwnCall(firstOf(CallOptions.DEFAULT, kind), state, isOutcome = false).beginsLate(sentAt)
    }

    /** Takes a send permit if one is there at [now] and no call waits for one; never waits. Not asked where none is needed. */
    protected open fun takesPermit(now: Long): Boolean = false

    internal fun takesPermitNow(now: Long): Boolean = takesPermit(now)

    private fun metered(options: CallOptions, kind: ResultKind): RetryCall {
        // The clock first: once a permit is taken nothing may come between it and its attempt.
        val now = clock.nanoTime()
        return if (takesPermit(now)) firstOf(options, kind).sentAt(now) else own(options, kind, isOutcome = false)
    }

    private fun isTimed(options: CallOptions) = isTimed || options.isTimed

    private fun own(options: CallOptions, kind: ResultKind, isOutcome: Boolean): RetryCall {
        val startedAt = if (isTimed(options)) clock.nanoTime() else RetryState.UNCLOCKED
        val first = firstOf(CallOptions.DEFAULT, kind)
        return OwnCall(first, RetryState.first(startedAt, options), isOutcome).begins()
    }

    /** A first attempt that begins now. Only a give-up in the process, after which it is told apart, makes a new object. */
    private fun firstOf(options: CallOptions, kind: ResultKind): FirstCall {
        val isDefault = options === CallOptions.DEFAULT
        val slot = if (isDefault) KEPT + kind.ordinal else System.identityHashCode(options) and (KEPT - 1)
        val known = firsts[slot]
        val isKnown = isDefault || (known.options === options && known.kind == kind)
        val tick = GiveUps.now()
        if (isKnown && known.since == tick) return known
        val attempt = if (isKnown) known.attempt else firstAttempt(options)
        return FirstCall(attempt, kind, tick).also { firsts[slot] = it }
    }

    private fun firstAttempt(options: CallOptions) =
        PlainAttempt(this, RetryState.first(RetryState.UNCLOCKED, options), lastFailure = null)

    /** Tells the send rate how an attempt, sent at [sentAt], ended at [now], and what the server says of its limit. */
    internal fun answered(verdict: Verdict, result: Any?, failure: Throwable?, sentAt: Long, now: Long) {
        val outcome = when {
            verdict is Verdict.Accept -> RateOutcome.ACCEPTED
            verdict is Verdict.Retry && verdict.kind == FailureKind.THROTTLING -> RateOutcome.THROTTLED
            else -> RateOutcome.FAILED
        }
        val rate = sendRate!!
        rate.record(outcome, sentAt, now)
        if (readsHints) responseOf(verdict, result, failure)?.let(RateLimitFields::read)?.let { rate.hint(it, now) }
    }

    /** [verdict] on [outcome], which says so if a retrier below has given up on that after the tick [since]. */
    internal fun marked(verdict: Verdict, outcome: Any?, since: Int): Verdict {
        val isMarked = verdict is Verdict.Retry && GiveUps.isMarked(outcome, since, retrier)
        return if (isMarked) (verdict as Verdict.Retry).retriedBelow() else verdict
    }

    /** [verdict] with the delay that the server asks for, if its response has one that the policy follows. */
    internal fun withServerDelay(verdict: Verdict, result: Any?, failure: Throwable?, events: CallEvents?): Verdict {
        if (verdict !is Verdict.Retry || verdict.hasServerDelay || policy.serverDelays.isEmpty()) return verdict
        val response = responseOf(verdict, result, failure) ?: return verdict
        val delay = policy.serverDelays.askedBy(response) { events?.serverDelayIgnored(it) } ?: return verdict
        return verdict.withServerDelay(delay)
    }

    /** The response that an attempt ended with: its [result], or the one that its [failure] or the [verdict] on it stands for. */
    internal fun responseOf(verdict: Verdict, result: Any?, failure: Throwable?): HttpOutcome? = when {
        failure == null -> result as? HttpOutcome
        verdict is Verdict.Retry && verdict.response != null -> verdict.response
        else -> httpOf(failure) ?: Classifier.responseOf(policy.classifier, failure)
    }

    /** The verdict on [result]. Most results are of no type that the classifier looks at: these are accepted unasked. */
    internal fun verdictOn(result: Any?, attempt: Int, events: CallEvents?): Verdict {
        val isJudged = scope == ResultScope.ANY || (judgesResponses && result is HttpOutcome)
        if (!isJudged) return Verdict.Accept
        if (result is HttpOutcome) return result.verdict ?: policy.judge(result)
        if (result === NoResult) return Verdict.Accept
        if (result === Unit) unitIsJudged(attempt, events)
        return policy.classifier.classifyResult(result) ?: Verdict.Accept
    }

    /** The verdict on [failure], which means [thrown]; [known] is that of a shell that knows more than the classifier. */
    internal fun verdictOn(failure: Throwable, thrown: Thrown, known: Verdict?): Verdict {
        val verdict = known
            ?: policy.classifier.classifyFailure(failure)
            ?: if (thrown == Thrown.TIMEOUT) Verdict.TIMEOUT else unnamed(failure)
        if (!policy.honourShouldRetry) return verdict
        val response = responseOf(verdict, result = null, failure) ?: return verdict
        val said = policy.asServerSays(verdict, response)
        // A server may refuse a retry, but it cannot ask for one that the policy never makes.
        val isAsked = verdict is Verdict.Reject && said is Verdict.Retry && !said.isRetriedBelow
        return if (isAsked && Rejections.has(policy.classifier, failure)) verdict else said
    }

    /** Why a call with [options] is not repeated. Says it once in the log too. */
    internal fun whyNotRepeated(options: CallOptions): String {
        val why = when (options.repeatOfBlock) {
            Repeat.NEVER -> "it may be sent only once"
            Repeat.IF_UNSENT -> "something may have been sent"
            Repeat.SAFE -> "its body or work is good for one attempt only"
        }
        notRetried.notReplayable(options.label, why, isSafe = options.repeatOfBlock == Repeat.SAFE)
        return why
    }

    private fun unnamed(failure: Throwable): Verdict {
        if (policy.maxAttempts > 1) notRetried.unnamed(failure)
        return Verdict.Reject
    }

    private fun unitIsJudged(attempt: Int, events: CallEvents?) {
        if (!hasJudgedUnit.compareAndSet(0, 1)) return
        events?.unitJudged(attempt)
        WarningLog.tell(
            "a retry policy judges results, and an attempt returned Unit, which is none: " +
                "to have the result judged take it, as in val done = retrier { work() }",
        )
    }

    /** The numbers of retriers. */
    public companion object {
        /** The number of a retrier whose calls have nothing in common. */
        public const val LONE: Long = GiveUps.LONE

        /** How many sets of options are kept ready for calls that build nothing; a power of two. */
        private const val KEPT = 16

        /** The number of a new retrier. */
        @JvmStatic
        public fun newRetrier(): Long = GiveUps.newRetrier()
    }
}
