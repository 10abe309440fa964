package dev.reprise.core

import dev.reprise.core.shell.layers.Served
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.limitOf
import dev.reprise.core.shell.time.nanosText
import kotlin.time.Duration

/**
 * The settings of one call beyond its policy. Immutable; compares by value; make it once for each operation.
 *
 * Made by `CallOptions { }` in Kotlin and [builder] in Java; [named] is the short form for an operation's name alone.
 */
public class CallOptions internal constructor(
    /** The operation's name, for listeners and the quota's shares; `null` if it has none. */
    public val operation: String?,
    /**
     * Whether the work may be done more than once; `null` if that was not said. A client that knows the request's method
     * then decides by method, idempotency key and mark; a retrier around a block takes it for [Repeat.SAFE].
     */
    public val repeat: Repeat?,
    /** A long poll: a refused quota delays its failure, so that a polling loop does not spin. */
    public val longPolling: Boolean,
    /** The longest that this call may take, in ns; 0 if its time is over before it begins. */
    internal val deadlineNanos: Long,
    /** The method and host of the call's HTTP request; `null` for other calls, and without a listener. */
    internal val target: HttpTarget? = null,
    /** The request that a server is serving by this call; `null` for none. Does not count in comparisons. */
    internal val served: Served? = null,
    /** The action on a failure that was retried below; `null` for the policy's. */
    private val whenRetriedBelow: WhenRetriedBelow? = null,
    /** [repeat] before a body or client that allows less; `null` for [repeat]. Does not count in comparisons. */
    private val allowed: Repeat? = null,
) {
    /** The longest that this call may take with all attempts and waits; `null` for as long as its policy says. */
    @get:JvmSynthetic
    public val deadline: Duration? get() = limitOf(deadlineNanos)

    /** [repeat] for who knows nothing of the work: its caller put it into a retrier, so it may be repeated. */
    internal val repeatOfBlock: Repeat get() = repeat ?: Repeat.SAFE

    /** The repeats that the caller or the request's method allows; its body or client may allow fewer. */
    internal val allowedRepeat: Repeat get() = allowed ?: repeatOfBlock

    /** The name for listeners and hedges: the [operation], or the request, such as `GET example.com`. The quota reads [operation] alone. */
    internal val label: String? get() = operation ?: target?.let { "${it.method} ${it.host}" }

    internal val isTimed: Boolean get() = deadlineNanos != UNLIMITED_NANOS

    /** A builder that starts from these options. */
    public fun toBuilder(): CallOptionsBuilder = CallOptionsBuilder(this)

    /** These options with [changes]. */
    @JvmSynthetic
    public fun with(changes: CallOptionsBuilder.() -> Unit): CallOptions = toBuilder().apply(changes).build()

    /** These options for a call that has no more than [timeLeftNanos] left, in ns; none if that is not above zero. */
    internal fun within(timeLeftNanos: Long): CallOptions =
        if (timeLeftNanos >= deadlineNanos) this else copy(deadlineNanos = timeLeftNanos.coerceAtLeast(0))

    /** These options for work that may be repeated as [repeat] says, which may be less than is [allowed]. */
    internal fun repeated(repeat: Repeat, allowed: Repeat = repeat): CallOptions =
        if (repeat == this.repeat && allowed == allowedRepeat) this else copy(repeat = repeat, allowed = allowed)

    /** These options, and where they say nothing [base]'s; the shorter deadline counts, and a long poll is one if either says so. */
    internal fun over(base: CallOptions): CallOptions = when {
        base === DEFAULT || base === this -> this

        this === DEFAULT -> base

        else -> copy(
            operation = operation ?: base.operation,
            repeat = repeat ?: base.repeat,
            longPolling = longPolling || base.longPolling,
            deadlineNanos = minOf(deadlineNanos, base.deadlineNanos),
            target = target ?: base.target,
            served = served ?: base.served,
            whenRetriedBelow = whenRetriedBelow ?: base.whenRetriedBelow,
        )
    }

    /** These options with [action] on a failure that was retried below, in place of the policy's. */
    internal fun onRetriedBelow(action: WhenRetriedBelow): CallOptions = copy(whenRetriedBelow = action)

    internal fun ofRequest(method: String, host: String) = copy(target = HttpTarget(method, host))

    internal fun asLongPoll() = copy(longPolling = true)

    internal fun servedBy(request: Served) = copy(served = request)

    internal fun whenRetriedBelow(policy: RetryPolicy): WhenRetriedBelow = whenRetriedBelow ?: policy.whenRetriedBelow

    /** The most attempts of a call under [policy]. */
    internal fun attemptsOf(policy: RetryPolicy): Int = if (isMadeOnce(policy)) 1 else policy.maxAttempts

    /**
     * Whether a call under [policy] makes no retry and no copy: while it serves a request that is itself a retry or a copy,
     * since that request's caller makes them, and in a process whose retries are off, unless the call polls.
     */
    internal fun isMadeOnce(policy: RetryPolicy): Boolean {
        val isForRetry = served != null && served.attempt > 1 && whenRetriedBelow(policy) == WhenRetriedBelow.STOP
        return isForRetry || (RetriesSwitch.isOff && !longPolling && !policy.isPoll)
    }

    private fun copy(
        operation: String? = this.operation,
        repeat: Repeat? = this.repeat,
        longPolling: Boolean = this.longPolling,
        deadlineNanos: Long = this.deadlineNanos,
        target: HttpTarget? = this.target,
        served: Served? = this.served,
        whenRetriedBelow: WhenRetriedBelow? = this.whenRetriedBelow,
        allowed: Repeat? = this.allowed,
    ) = CallOptions(operation, repeat, longPolling, deadlineNanos, target, served, whenRetriedBelow, allowed)

    override fun equals(other: Any?): Boolean = other is CallOptions && members() == other.members()

    override fun hashCode(): Int = members().hashCode()

    private fun members() = listOf(operation, repeat, longPolling, deadlineNanos, target, whenRetriedBelow)

    override fun toString(): String {
        val limit = if (isTimed) "deadline ${nanosText(deadlineNanos)}" else null
        val parts = listOfNotNull(label ?: "unnamed", repeat, "long poll".takeIf { longPolling }, limit)
        return parts.joinToString(prefix = "call(", postfix = ")")
    }

    public companion object {
        /** An unnamed call, for as long as its policy says. */
        @JvmField
        public val DEFAULT: CallOptions = CallOptions(null, null, longPolling = false, UNLIMITED_NANOS)

        /** [DEFAULT] for the operation called [operation]. */
        @JvmStatic
        public fun named(operation: String): CallOptions = builder().operation(operation).build()

        /** A builder that starts from [DEFAULT]. */
        @JvmStatic
        public fun builder(): CallOptionsBuilder = CallOptionsBuilder(DEFAULT)

        /** [DEFAULT] for the operation called [operation]. */
        @JvmSynthetic
        public operator fun invoke(operation: String): CallOptions = named(operation)

        /** [DEFAULT] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: CallOptionsBuilder.() -> Unit): CallOptions = DEFAULT.with(changes)
    }
}
