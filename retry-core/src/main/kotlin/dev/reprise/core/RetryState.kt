package dev.reprise.core

import dev.reprise.core.backoff.saturatingAdd

/**
 * One call in progress, between two attempts: an immutable snapshot that [RetryMachine] makes and takes. A call whose
 * first attempt succeeds never has one.
 */
public class RetryState private constructor(
    private val origin: Origin,
    /** The number of the attempt that runs or has just ended, from 1; 0 once the call has ended. */
    public val attempt: Int,
    /** The delay before this attempt in ns, negative before the first retry. */
    public val previousDelayNanos: Long,
    /** All delays so far in ns. */
    public val totalDelayNanos: Long,
    /** The tokens that a success gives back: what the last retry took. */
    public val lastCost: Int,
) : Step {
    /** When the call began, on the shell's clock, in ns; looked at only where the policy has a deadline. */
    public val startedAt: Long get() = origin.startedAt

    /** What the caller said about the call. */
    public val options: CallOptions get() = origin.options

    /** The index of the retry that would come next: 0 before the second attempt. */
    public val retryIndex: Int get() = attempt - 1

    /** Whether the call has ended; the machine refuses to go on from here. */
    public val hasEnded: Boolean get() = this === ENDED

    /** The state of the next attempt, which follows after [delayNanos] and whose success gives back [lastCost] tokens. */
    internal fun next(delayNanos: Long, lastCost: Int): RetryState =
        RetryState(origin, attempt + 1, delayNanos, saturatingAdd(totalDelayNanos, delayNanos), lastCost)

    override fun equals(other: Any?): Boolean =
        other is RetryState && attempt == other.attempt && startedAt == other.startedAt && options == other.options &&
            previousDelayNanos == other.previousDelayNanos && totalDelayNanos == other.totalDelayNanos &&
            lastCost == other.lastCost

    override fun hashCode(): Int = (attempt * 31 + previousDelayNanos.hashCode()) * 31 + lastCost

    override fun toString(): String =
        if (hasEnded) "ended" else "attempt $attempt, waited $totalDelayNanos ns, last cost $lastCost"

    /** What stays the same through all states of a call: kept apart, since every failure makes a state. */
    private class Origin(val options: CallOptions, val startedAt: Long)

    public companion object {
        /** When a call began that reads no clock. No clock's reading is this. */
        internal const val UNCLOCKED = Long.MIN_VALUE

        /** The state in which every call ends. */
        @JvmField
        public val ENDED: RetryState = RetryState(Origin(CallOptions.DEFAULT, 0), 0, -1, 0, 0)

        /** The state of a call during its first attempt. */
        @JvmStatic
        @JvmOverloads
        public fun first(startedAt: Long = 0, options: CallOptions = CallOptions.DEFAULT): RetryState =
            RetryState(Origin(options, startedAt), 1, -1, 0, 0)
    }
}
