package dev.reprise.core

/**
 * One call in progress, between two attempts: an immutable snapshot that [RetryMachine] makes and takes. A call whose
 * first attempt succeeds never has one.
 */
public class RetryState internal constructor(
    /** The number of the attempt that runs or has just ended, from 1; 0 once the call has ended. */
    public val attempt: Int,
    /** When the call began, on the shell's clock, in ns; looked at only where the policy has a deadline. */
    public val startedAt: Long,
    /** What the caller said about the call. */
    public val options: CallOptions,
    /** The delay before this attempt in ns, negative before the first retry. */
    public val previousDelayNanos: Long,
    /** All delays so far in ns. */
    public val totalDelayNanos: Long,
    /** The tokens that the last retry took: what a success gives back. */
    public val lastCost: Int,
    /** Whether this call ever took tokens. */
    public val hasPaid: Boolean,
) {
    /** The index of the retry that would come next: 0 before the second attempt. */
    public val retryIndex: Int get() = attempt - 1

    /** Whether the call has ended; the machine refuses to go on from here. */
    public val hasEnded: Boolean get() = this === ENDED

    override fun equals(other: Any?): Boolean =
        other is RetryState && attempt == other.attempt && startedAt == other.startedAt && options == other.options &&
            previousDelayNanos == other.previousDelayNanos && totalDelayNanos == other.totalDelayNanos &&
            lastCost == other.lastCost && hasPaid == other.hasPaid

    override fun hashCode(): Int = (attempt * 31 + previousDelayNanos.hashCode()) * 31 + lastCost

    override fun toString(): String =
        if (hasEnded) "ended" else "attempt $attempt, waited $totalDelayNanos ns, last cost $lastCost"

    public companion object {
        /** The state in which every call ends. */
        @JvmField
        public val ENDED: RetryState = RetryState(0, 0, CallOptions.DEFAULT, -1, 0, 0, false)

        /** The state of a call during its first attempt. */
        @JvmStatic
        @JvmOverloads
        public fun first(startedAt: Long = 0, options: CallOptions = CallOptions.DEFAULT): RetryState =
            RetryState(1, startedAt, options, -1, 0, 0, false)
    }
}
