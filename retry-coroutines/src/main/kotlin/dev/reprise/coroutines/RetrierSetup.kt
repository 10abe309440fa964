package dev.reprise.coroutines

import dev.reprise.core.DeadlineSource
import dev.reprise.core.Hedge
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import java.time.Duration

/** The setup that calls share which begin now. A call keeps the one that it began with. Immutable, thread-safe. */
@ShellApi
public class RetrierSetup internal constructor(
    policy: RetryPolicy,
    private val ownQuota: OwnQuota,
    /** The send rate of the retrier, which a policy without one sets aside. */
    internal val ownRate: SendRate?,
    /** The settings that the last policy with a send rate named; a rate that was given may have others. */
    private val rateSettings: SendRateSettings?,
    listeners: List<RetryListener>,
    clock: NanoClock,
    draws: RandomSource,
    private val ownWaiter: Waiter?,
    override val deadlines: DeadlineSource?,
    name: String?,
    from: RetrierSetup? = null,
) : CallSetup(
    policy,
    ownQuota.quota.takeIf { policy.quota != null },
    ownRate.takeIf { policy.sendRate != null },
    listeners,
    clock,
    draws,
    name,
    from,
) {
    /** Waits between attempts. */
    public val waiter: Waiter get() = ownWaiter ?: Waiter.DELAY

    /** The line for send permits, or `null` outside adaptive mode. */
    public val line: SendRateLine? = sendRate?.let { SendRateLine.of(it, clock, waiter) }

    override fun takesPermit(now: Long): Boolean = line!!.tryAcquire(now)

    /** This setup under [policy]. Keeps its quota and send rate, and sets aside the ones that [policy] does not use. */
    internal fun with(policy: RetryPolicy): RetrierSetup {
        val settings = policy.sendRate
        val rate = when {
            settings == null || !changesRate(settings) -> ownRate
            ownRate == null -> SendRate(settings, clock.nanoTime())
            else -> ownRate.with(settings, clock.nanoTime())
        }
        return copy(policy, ownQuota.under(policy.quota, clock), rate, settings ?: rateSettings)
    }

    /**
     * This setup under the [policy] that one call brings. It has the very quota and send rate of this one, whatever settings
     * [policy] names; what this one lacks is that of [lent].
     */
    internal fun lend(policy: RetryPolicy, lent: LentParts): RetrierSetup {
        val settings = policy.quota
        val quota =
            if (settings == null || ownQuota.isThere) ownQuota else lent.quota { ownQuota.under(settings, clock) }
        val rate = policy.sendRate?.let { ownRate ?: lent.rate { SendRate(it, clock.nanoTime()) } } ?: ownRate
        val hedged = policy.hedge?.takeIf { it != this.policy.hedge }?.let(lent::hedged) ?: this
        // Another type's costs are in other units.
        val isForeign = settings != null && quota.settings != null && !quota.isOfTypeOf(settings)
        val paying = if (isForeign) policy.with { this.quota = quota.settings } else policy
        return copy(paying, quota, rate, rateSettings ?: policy.sendRate, from = hedged)
    }

    /** This setup with the parts of [lent] that it lacks, so that no policy fills them. */
    internal fun adopting(lent: LentParts): RetrierSetup = copy(
        ownQuota = if (ownQuota.isThere) ownQuota else lent.quota ?: ownQuota,
        ownRate = ownRate ?: lent.rate,
        rateSettings = rateSettings ?: lent.rate?.settings,
    )

    /** This setup under a policy with [hedge], and without limits, which might be too short for it. */
    internal fun hedged(hedge: Hedge): RetrierSetup = copy(RetryPolicy { this.hedge = hedge })

    /** Whether a policy with these [settings] needs another send rate. One that names those of the policy before does not. */
    internal fun changesRate(settings: SendRateSettings): Boolean = when {
        ownRate == null -> true
        rateSettings == null || rateSettings == settings -> false
        else -> ownRate.settings != settings
    }

    /** This setup, which tells [listener] as well. */
    internal fun with(listener: RetryListener): RetrierSetup = copy(listeners = listeners + listener)

    /** This setup, whose calls also end by when [deadlines] says. */
    internal fun with(deadlines: DeadlineSource): RetrierSetup =
        copy(deadlines = this.deadlines?.let { Shorter(it, deadlines) } ?: deadlines)

    private fun copy(
        policy: RetryPolicy = this.policy,
        ownQuota: OwnQuota = this.ownQuota,
        ownRate: SendRate? = this.ownRate,
        rateSettings: SendRateSettings? = this.rateSettings,
        listeners: List<RetryListener> = this.listeners,
        deadlines: DeadlineSource? = this.deadlines,
        from: RetrierSetup = this,
    ) = RetrierSetup(policy, ownQuota, ownRate, rateSettings, listeners, clock, draws, ownWaiter, deadlines, name, from)

    /** The shorter of the two sources' times. */
    private class Shorter(private val first: DeadlineSource, private val second: DeadlineSource) : DeadlineSource {
        override fun timeLeft(): Duration? {
            val other = second.timeLeft()
            val left = first.timeLeft() ?: return other
            return if (other == null) left else minOf(left, other)
        }
    }
}
