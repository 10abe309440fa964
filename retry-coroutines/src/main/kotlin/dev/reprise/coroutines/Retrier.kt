package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.CallSetup
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Draws
import dev.reprise.core.quota.RetryQuota
import dev.reprise.core.rate.SendRate
import kotlinx.coroutines.currentCoroutineContext
import java.util.concurrent.ThreadLocalRandom

/**
 * What a user holds: a policy with the quota and the send rate that all calls through this retrier share. Make one for
 * each client or destination, and keep it; where destinations come and go, in a [Keyed][dev.reprise.core.quota.Keyed].
 *
 * ```kotlin
 * val retrier = Retrier()
 * val user = retrier { api.fetch(id) }
 * ```
 *
 * Safe for any number of threads and coroutines.
 */
public class Retrier private constructor(
    setup: CallSetup,
    private val rates: SharedRate,
    internal val waiter: Waiter,
) {
    /**
     * A retrier of [policy]. A [quota] may be shared with other retriers; by default it is a full one of its own, if the
     * policy has one at all. [clock] measures deadlines and rates, [draws] feeds the jitter, [waiter] waits.
     */
    public constructor(
        policy: RetryPolicy = RetryPolicy.STANDARD,
        quota: RetryQuota? = policy.quota?.let { RetryQuota(it.capacity) },
        sendRate: SendRate? = null,
        listeners: List<RetryListener> = emptyList(),
        clock: NanoClock = SYSTEM_CLOCK,
        draws: Draws = SYSTEM_DRAWS,
        waiter: Waiter = Waiter.DELAY,
    ) : this(policy, quota, SharedRate(sendRate, clock, waiter), listeners, draws, waiter)

    private constructor(
        policy: RetryPolicy,
        quota: RetryQuota?,
        rates: SharedRate,
        listeners: List<RetryListener>,
        draws: Draws,
        waiter: Waiter,
    ) : this(CallSetup(policy, quota, rates.rateFor(policy), listeners, rates.clock, draws), rates, waiter)

    @Volatile
    private var plainSteps = CallSteps(this, setup, CallOptions.DEFAULT)

    /** What the calls that begin now share; for those who write a shell. */
    public val setup: CallSetup get() = plainSteps.setup

    private val ownQuota: RetryQuota? = setup.quota

    /** The policy of calls that begin now. */
    public val policy: RetryPolicy get() = setup.policy

    /** The quota, or `null` where retries are free. */
    public val quota: RetryQuota? get() = setup.quota

    /** The send rate, or `null` outside adaptive mode. */
    public val sendRate: SendRate? get() = setup.sendRate

    /** The line for send permits, or `null` outside adaptive mode; for those who write a shell. */
    public val line: SendRateLine? get() = if (setup.sendRate == null) null else rates.line

    /**
     * Runs [block] until it succeeds or the policy gives up, and answers its result.
     *
     * What is thrown at the end is the last attempt's own exception, with one suppressed
     * [RetryTrace][dev.reprise.core.RetryTrace]; a result that was never accepted is returned as it is unless the policy
     * says throw. A cancelled coroutine stops at once, also in mid-wait: nothing is retried, and what was taken for a retry
     * that did not begin comes back. A `withTimeout` around this call is such a cancellation; one inside [block] is a
     * failure of the attempt.
     *
     * Inlined: a first attempt that succeeds builds nothing, takes no lock and reads no clock, unless the policy has a
     * timeout or a send rate, or somebody listens.
     */
    public suspend inline operator fun <T> invoke(
        options: CallOptions = CallOptions.DEFAULT,
        crossinline block: suspend (Attempt) -> T,
    ): T {
        val steps = steps(options)
        var call = steps.begin()
        if (call != null && steps.isTimed) return steps.execute(call) { block(it) }.result()
        val sentAt = steps.sendTime(call)
        while (true) {
            if (call != null) {
                if (steps.mustWait(call)) {
                    try {
                        steps.await(call)
                    } catch (e: Throwable) {
                        throw steps.waitEnded(call, e)
                    }
                }
                if (!steps.attemptBegins(call)) return call.result()
            }
            val result =
                try {
                    block(call ?: steps.setup.firstAttempt)
                } catch (e: Throwable) {
                    call = steps.failed(call, sentAt, e, currentCoroutineContext())
                    continue
                }
            if (call == null && steps.accepts(result, sentAt)) return result
            call = steps.completed(call, sentAt, result, currentCoroutineContext())
        }
    }

    /**
     * Runs [block] like [invoke], and answers how the call ended instead of throwing. Cancellation is thrown all the same.
     */
    public suspend fun <T> outcome(
        options: CallOptions = CallOptions.DEFAULT,
        block: suspend (Attempt) -> T,
    ): RetryOutcome<T> = steps(options).run { execute(beginWatched(), block) }.outcome()

    /** The named steps of a call that begins now; for those who write a shell. */
    public fun steps(options: CallOptions = CallOptions.DEFAULT): CallSteps {
        val plain = plainSteps
        return if (options === CallOptions.DEFAULT) plain else CallSteps(this, plain.setup, options)
    }

    /**
     * Replaces the policy for calls that begin from now on; calls in flight keep theirs. Quota and send rate live on: the
     * quota keeps its capacity and its tokens, whatever the new policy's capacity is.
     */
    public fun update(policy: RetryPolicy) {
        plainSteps = CallSteps(this, derive(policy, setup.listeners), CallOptions.DEFAULT)
    }

    /** A retrier of [policy] that shares this one's quota and send rate. */
    public fun with(policy: RetryPolicy): Retrier = Retrier(derive(policy, setup.listeners), rates, waiter)

    /** A retrier that tells [listener] as well, and shares all else with this one. */
    public fun with(listener: RetryListener): Retrier =
        Retrier(derive(policy, setup.listeners + listener), rates, waiter)

    private fun derive(policy: RetryPolicy, listeners: List<RetryListener>): CallSetup {
        val quota = policy.quota?.let { ownQuota ?: RetryQuota(it.capacity) }
        return CallSetup(policy, quota, rates.rateFor(policy), listeners, setup.clock, setup.draws)
    }

    override fun toString(): String = "Retrier($policy, ${quota ?: "no quota"}${sendRate?.let { ", $it" } ?: ""})"

    public companion object {
        /** The JVM's monotonic clock. */
        @JvmField
        public val SYSTEM_CLOCK: NanoClock = NanoClock { System.nanoTime() }

        /** A random source of the process, different on every host. */
        @JvmField
        public val SYSTEM_DRAWS: Draws = Draws { ThreadLocalRandom.current().nextDouble() }
    }
}
