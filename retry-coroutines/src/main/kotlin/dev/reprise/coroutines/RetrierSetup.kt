package dev.reprise.coroutines

import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.RandomSource
import dev.reprise.core.call.CallSetup
import dev.reprise.core.quota.Quota
import dev.reprise.core.quota.QuotaSettings
import dev.reprise.core.rate.SendRate
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.time.NanoClock

/** What the calls that begin now share, and how they wait. A call keeps the one that it began with. Immutable, thread-safe. */
@ShellApi
public class RetrierSetup internal constructor(
    policy: RetryPolicy,
    quota: Quota?,
    sendRate: SendRate?,
    listeners: List<RetryListener>,
    clock: NanoClock,
    draws: RandomSource,
    /** What waits between attempts. */
    public val waiter: Waiter,
    /** The quota of the retrier, which a policy without one sets aside. */
    internal val ownQuota: Quota? = quota,
    /** The send rate of the retrier, which a policy without one sets aside. */
    internal val ownRate: SendRate? = sendRate,
    override val deadlines: DeadlineSource? = null,
) : CallSetup(policy, quota, sendRate, listeners, clock, draws) {
    /** The line for send permits, or `null` outside adaptive mode. */
    public val line: SendRateLine? = sendRate?.let { SendRateLine.of(it, clock, waiter) }

    override fun takesPermit(now: Long): Boolean = line!!.tryAcquire(now)

    /** The quota of the retrier under [settings]: the one that it has, unless that is of another type. */
    internal fun quotaFor(settings: QuotaSettings): Quota {
        val own = ownQuota ?: return settings.open(clock)
        val before = policy.quota ?: return own
        return if (before.javaClass == settings.javaClass) own else settings.open(clock)
    }

    /** This setup under [policy]; what it sets aside is kept for the next one. */
    internal fun with(policy: RetryPolicy, quota: Quota?, sendRate: SendRate?, listeners: List<RetryListener>) =
        RetrierSetup(
            policy,
            quota,
            sendRate,
            listeners,
            clock,
            draws,
            waiter,
            quota ?: ownQuota,
            sendRate ?: ownRate,
            deadlines,
        )

    /** This setup, whose calls also end by when [deadlines] says. */
    internal fun with(deadlines: DeadlineSource) =
        RetrierSetup(policy, quota, sendRate, listeners, clock, draws, waiter, ownQuota, ownRate, deadlines)

    private companion object {
        /** The type of a getter that every call asks. `CallSetup` says why it is named here, although it is loaded there. */
        @Suppress("unused")
        private val LOADED = DeadlineSource::class.java
    }
}
