package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind

/**
 * What retries are paid from: shared by the calls of one client, asked by the machine alone. [RetryQuota] is the exact
 * token bucket of the AWS SDKs.
 *
 * An implementation keeps three promises: it never holds less than zero or more than [capacity], what it gives back was
 * taken before, and no method waits or throws. Safe for any number of threads.
 */
public interface Quota {
    /** The tokens of a full quota, at the moment. */
    public val capacity: Int

    /** The tokens that are there now. */
    public val available: Int

    /**
     * The tokens that a call of [operation] can spend now: less than [available] where each operation has a share of its own and
     * this one's is used up.
     */
    public fun available(operation: String?): Int = available

    /**
     * Takes [tokens] for a retry in a call of [operation] if so many are there; otherwise takes
     * none and returns `false`.
     */
    public fun tryTake(tokens: Int, operation: String?): Boolean

    /**
     * Returns whether [tokens] that [tryTake] took are really there, asked when the wait before the retry is over: 0 if they
     * are, [UNPAID] if not, and otherwise after how many ns to ask again. Tokens that are unpaid count as never taken, and
     * end the call. So a quota that others share has the time of the wait to pay; one in the process pays at once.
     */
    public fun confirm(tokens: Int): Long = 0

    /** Gives back [tokens] that were taken for a retry which is not made; returns how many there was room for. */
    public fun giveBack(tokens: Int, operation: String?): Int

    /**
     * A call of [operation] succeeded, which gives back [tokens]: what its last retry took, or the refund of a first try.
     * Returns how many there was room for. Stands on the path of every successful call.
     */
    public fun succeeded(tokens: Int, operation: String?): Int

    public companion object {
        /** What [confirm] returns for tokens that are not there. */
        public const val UNPAID: Long = -1
    }
}
