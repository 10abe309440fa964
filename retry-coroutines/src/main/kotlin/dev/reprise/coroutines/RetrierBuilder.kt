package dev.reprise.coroutines

import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.shell.Waiter

/**
 * Builds a [Retrier]: as the receiver of `Retrier(policy) { }` in Kotlin, as a chain of calls in Java. Each setting has
 * a default. Not thread-safe.
 */
public class RetrierBuilder internal constructor(policy: RetryPolicy) {
    private var hasQuota = false
    private var ownWaiter: Waiter? = null
    private val listeners = ArrayList<RetryListener>()

    /**
     * The retrier's name in its text, logs, traces, events and metrics (tag `client`), such as the name of the client
     * or the server; `null` for none. Not blank.
     */
    @set:JvmSynthetic
    public var name: String? = null
        set(value) {
            require(value == null || value.isNotBlank()) { "name must not be blank: '$value'" }
            field = value
        }

    /** How to retry. */
    @set:JvmSynthetic
    public var policy: RetryPolicy = policy

    /**
     * A quota that is shared with other retriers; `null` makes retries free. Unless it is set, the retrier opens a full one
     * of its own if its policy has one. Under a policy without a quota retries are free, and this one is left alone; one that names
     * a quota of another type than the policy before has a new one.
     */
    @set:JvmSynthetic
    public var quota: Quota? = null
        set(value) {
            field = value
            hasQuota = true
        }

    /**
     * A send rate that is shared with other retriers, whose callers then wait in one line. Unless it is set, the retrier has
     * one of its own if its policy has one. A policy without a send rate needs none, and this one is left alone.
     */
    @set:JvmSynthetic
    public var sendRate: SendRate? = null

    /** The clock that measures deadlines and rates. */
    @set:JvmSynthetic
    public var clock: NanoClock = Retrier.SYSTEM_CLOCK

    /** The random source of the jitter. */
    @set:JvmSynthetic
    public var draws: RandomSource = Retrier.SYSTEM_DRAWS

    /** Waits between attempts, and for send permits. */
    @set:JvmSynthetic
    public var waiter: Waiter
        get() = ownWaiter ?: Waiter.DELAY
        set(value) {
            ownWaiter = value
        }

    /**
     * Where each call reads how long the work around it may still take; of that, the policy's deadline and the call's own the
     * shortest counts. By default nowhere.
     */
    @set:JvmSynthetic
    public var deadlines: DeadlineSource? = null

    /** Sets what the retrier is called in its text, logs, traces, events and metrics; `null` for no name. Not blank. */
    public fun name(name: String?): RetrierBuilder = apply { this.name = name }

    /** Sets how to retry. */
    public fun policy(policy: RetryPolicy): RetrierBuilder = apply { this.policy = policy }

    /** Sets a quota that is shared with other retriers; `null` makes retries free. */
    public fun quota(quota: Quota?): RetrierBuilder = apply { this.quota = quota }

    /** Sets a send rate that is shared with other retriers. */
    public fun sendRate(sendRate: SendRate?): RetrierBuilder = apply { this.sendRate = sendRate }

    /** Adds a listener of all calls. Listeners are called in the order in which they were added. */
    public fun listener(listener: RetryListener): RetrierBuilder = apply { listeners += listener }

    /** Adds [listeners]. */
    public fun listeners(listeners: Iterable<RetryListener>): RetrierBuilder = apply { this.listeners += listeners }

    /** Sets the clock that measures deadlines and rates; for tests and simulations. */
    public fun clock(clock: NanoClock): RetrierBuilder = apply { this.clock = clock }

    /** Sets the random source of the jitter; for tests and simulations. */
    public fun draws(draws: RandomSource): RetrierBuilder = apply { this.draws = draws }

    /** Sets where each call reads how long the work around it may still take; `null` for nowhere. */
    public fun deadlines(deadlines: DeadlineSource?): RetrierBuilder = apply { this.deadlines = deadlines }

    /** Sets what waits between attempts and for send permits; for tests and simulations. */
    public fun waiter(waiter: Waiter): RetrierBuilder = apply { this.waiter = waiter }

    /** Returns a retrier of these settings. */
    public fun build(): Retrier = Retrier(setup())

    internal fun setup(): RetrierSetup = RetrierSetup(
        policy,
        if (hasQuota) OwnQuota(quota, policy.quota) else OwnQuota(policy.quota, clock),
        sendRate ?: policy.sendRate?.let { SendRate(it, clock.nanoTime()) },
        policy.sendRate,
        java.util.List.copyOf(listeners),
        clock,
        draws,
        ownWaiter,
        deadlines,
        name,
    ).apply { warn() }
}
