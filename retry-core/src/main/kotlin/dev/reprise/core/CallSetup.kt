package dev.reprise.core

import dev.reprise.core.backoff.Draws
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.ResultScope
import dev.reprise.core.classify.Verdict
import dev.reprise.core.quota.RetryQuota
import dev.reprise.core.rate.SendRate

/**
 * All that the calls of one client share: the policy, its quota and send rate, who listens, and where time and randomness
 * come from. For those who write a shell; a shell swaps it whole when the policy is replaced. Immutable and thread-safe.
 */
public class CallSetup(
    /** How to retry. */
    public val policy: RetryPolicy,
    /** The quota, or `null` where retries are free. */
    public val quota: RetryQuota?,
    /** The send rate, or `null` outside adaptive mode. */
    public val sendRate: SendRate?,
    /** Who listens to every call. */
    public val listeners: List<RetryListener>,
    /** The clock. */
    public val clock: NanoClock,
    /** The source of draws. */
    public val draws: Draws,
) {
    internal val machine = RetryMachine(policy, quota)
    internal val audience = Listeners.of(listeners)
    private val judgesAll = policy.classifier.resultScope == ResultScope.ANY
    private val judgesHttp = policy.classifier.resultScope == ResultScope.HTTP
    private val refund = policy.quota?.firstTryRefund ?: 0

    /** Whether there is a send rate. */
    public val isAdaptive: Boolean = sendRate != null

    private val isUnwatched = listeners.isEmpty() && !policy.isTimed

    /**
     * Whether a first attempt needs nothing before it runs: no listener, no send rate, no timeout. Then a call that
     * succeeds at once needs no [RetryCall], reads no clock and takes no lock.
     */
    public val isPlain: Boolean = isUnwatched && !isAdaptive

    /** Whether a first attempt needs nothing but a send permit, and the time when it is sent. */
    public val isMetered: Boolean = isUnwatched && isAdaptive

    /** The context of the first attempt of a call that is plain or metered. */
    public val firstAttempt: Attempt = FirstAttempt(isLast = policy.maxAttempts == 1)

    /**
     * Whether the first attempt of a call that is plain, or metered and was sent at [sentAt], may end with [result]. If so,
     * the call is over and its refund is made: a full quota is only read.
     */
    @JvmOverloads
    public fun acceptsFirst(result: Any?, sentAt: Long = 0): Boolean {
        if (verdictOn(result) !== Verdict.Accept) return false
        sendRate?.record(false, sentAt, clock.nanoTime())
        if (quota != null && quota.available < quota.capacity) quota.refund(refund)
        return true
    }

    /** What [result] means. Most results are of no type that the classifier looks at, and it is not asked about those. */
    internal fun verdictOn(result: Any?): Verdict {
        val isJudged = judgesAll || (judgesHttp && result is HttpOutcome)
        return if (isJudged) policy.classifier.classifyResult(result) ?: Verdict.Accept else Verdict.Accept
    }
}
