package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.DeadlineSource
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.SendRate

/**
 * A policy with the quota and the send rate that all calls through this retrier share. Make one for each client or
 * destination, and keep it; if destinations come and go, use a [RetrierCache][dev.reprise.core.RetrierCache].
 *
 * ```kotlin
 * val retrier = Retrier()
 * val user = retrier { api.fetch(id) }
 * ```
 *
 * Set its name, quota, listeners and the rest in braces: `Retrier(policy) { name = "users"; listener(metrics) }`. These braces run
 * once, as the retrier is made; they are no call.
 *
 * Safe for any number of threads and coroutines.
 */
public class Retrier internal constructor(setup: RetrierSetup) {
    /** A retrier of standard mode ([RetryPolicy.STANDARD]). */
    public constructor() : this(RetryPolicy.STANDARD)

    /** A retrier of [policy], with a full quota and a send rate of its own if [policy] has them. */
    public constructor(policy: RetryPolicy) : this(RetrierBuilder(policy).setup())

    /** The setup of calls that begin now; for authors of shells. */
    @ShellApi
    @Volatile
    public var setup: RetrierSetup = setup
        private set

    /** The retrier's name, or `null` if it has none. */
    public val name: String? get() = setup.name

    /** The policy of calls that begin now. */
    public val policy: RetryPolicy get() = setup.policy

    /** The quota, or `null` where retries are free. */
    public val quota: Quota? get() = setup.quota

    /** The send rate, or `null` outside adaptive mode. */
    public val sendRate: SendRate? get() = setup.sendRate

    /**
     * Runs [block] until it succeeds or the policy gives up, and returns its result.
     *
     * Throws the last attempt's own exception, with one suppressed [RetryTrace][dev.reprise.core.RetryTrace]. A result
     * that was never accepted is returned, unless the policy says throw. A cancelled coroutine stops at once, also in
     * mid-wait: nothing is retried, and tokens that were taken for a retry that did not begin come back. A
     * `withTimeout` around this call is such a cancellation. One inside [block] is a failure of the attempt. So is the
     * policy's own attempt timeout, with whatever exception [block] reacts to it. An `InterruptedException` ends the
     * call.
     *
     * If `Unit` is expected, as in the last line of `launch { }`, Kotlin infers `T` as `Unit`: [block] then returns no
     * result, and no classifier sees one. To have a result judged, take it: `val done = retrier { work() }`.
     *
     * A first attempt that succeeds allocates nothing, takes no lock and reads no clock, unless the policy has a
     * timeout or a send rate, or there is a listener.
     */
    public suspend operator fun <T> invoke(block: suspend (Attempt) -> T): T = invoke(CallOptions.DEFAULT, block)

    /** [invoke] with [options]. */
    public suspend operator fun <T> invoke(options: CallOptions, block: suspend (Attempt) -> T): T =
        setup.call(options, block)

    /** Runs [block] like [invoke], and returns how the call ended instead of throwing. Cancellation is still thrown. */
    public suspend fun <T> outcome(block: suspend (Attempt) -> T): RetryOutcome<T> = outcome(CallOptions.DEFAULT, block)

    /** [outcome] with [options]. */
    public suspend fun <T> outcome(options: CallOptions, block: suspend (Attempt) -> T): RetryOutcome<T> =
        setup.outcome(options, block)

    /**
     * Replaces the policy for calls that begin from now on; calls in flight keep theirs. Quota and send rate survive:
     * the quota keeps its tokens and its capacity, also if the new policy names another capacity. Settings of another
     * type give a new quota, which begins with the same share of its tokens. A policy without a quota or a rate sets
     * the present one aside for the next policy that has one. Under an equal hedge the learnt delays and the budget of
     * copies survive.
     */
    @Synchronized
    public fun update(policy: RetryPolicy) {
        val own = lent?.let(setup::adopting) ?: setup
        policy.sendRate?.let { if (own.changesRate(it)) own.ownRate?.update(it) }
        setup = own.with(policy)
    }

    /**
     * A retrier of [policy] that shares this one's quota, its send rate unless [policy] names other settings for it, and under an
     * equal hedge the learnt delays and the budget of copies. Under quota settings of another type, or other settings for the
     * rate, it has one of its own, which begins as this one's stands. This retrier stays as it is.
     */
    public fun with(policy: RetryPolicy): Retrier = Retrier(setup.with(policy))

    @Volatile
    private var lent: LentParts? = null

    /**
     * A retrier for a call that brings [policy]. Unlike [with] it has the very quota and send rate of this one, whatever settings
     * [policy] names. It pays what [policy]'s quota says, or what this one's does where that counts in other tokens. What this
     * one lacks, also the copies of a hedge, all such calls share, whatever becomes of this one's policy.
     */
    @ShellApi
    public fun lend(policy: RetryPolicy): Retrier {
        val setup = setup
        return Retrier(setup.lend(policy, lent ?: newLentParts(setup)))
    }

    @Synchronized
    private fun newLentParts(setup: RetrierSetup): LentParts = lent ?: LentParts(setup).also { lent = it }

    /**
     * A retrier whose calls also end at the limit that [deadlines] gives, the shorter one counts, and that shares all else with this
     * one. It has this one's policy as it is now: an [update] of one is not the other's.
     */
    public fun with(deadlines: DeadlineSource): Retrier = Retrier(setup.with(deadlines))

    /**
     * A retrier that tells [listener] as well, and shares all else with this one. It has this one's policy as it is now: an
     * [update] of one is not the other's.
     */
    public fun with(listener: RetryListener): Retrier = Retrier(setup.with(listener))

    override fun toString(): String =
        "Retrier(${name?.let { "$it, " } ?: ""}$policy, ${quota ?: "no quota"}${sendRate?.let { ", $it" } ?: ""})"

    public companion object {
        /** A builder of a retrier of standard mode ([RetryPolicy.STANDARD]). */
        @JvmStatic
        public fun builder(): RetrierBuilder = RetrierBuilder(RetryPolicy.STANDARD)

        /** A builder of a retrier of [policy]. */
        @JvmStatic
        public fun builder(policy: RetryPolicy): RetrierBuilder = RetrierBuilder(policy)

        // [policy] has no default: `Retrier { work() }` would then compile, and run the work as settings.

        /** A retrier of [policy] with [settings], such as `Retrier(policy) { listener(metrics) }`. */
        @JvmSynthetic
        public operator fun invoke(policy: RetryPolicy, settings: RetrierBuilder.() -> Unit): Retrier =
            builder(policy).apply(settings).build()

        /** The JVM's monotonic clock. */
        @JvmField
        public val SYSTEM_CLOCK: NanoClock = NanoClock { System.nanoTime() }

        /**
         * A random source of the process, different on every host, and in processes that were restored from one
         * snapshot of a heap and share its seeds.
         */
        @JvmField
        public val SYSTEM_DRAWS: RandomSource = SnapshotProofDraws(SYSTEM_CLOCK)
    }
}
