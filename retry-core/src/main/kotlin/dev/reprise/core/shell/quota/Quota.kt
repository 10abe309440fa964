package dev.reprise.core.shell.quota

/**
 * The tokens that pay for retries. Shared by the calls of one client; only the machine uses it. [RetryQuota] is the
 * exact token bucket of the AWS SDKs.
 *
 * An implementation keeps three promises: it holds between zero and [capacity] tokens, it gives back only tokens that
 * were taken, and no method waits or throws. Safe for any number of threads.
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
     * Takes [tokens] for a retry in a call of [operation] if that many are available; otherwise takes none and returns
     * `false`.
     */
    public fun tryTake(tokens: Int, operation: String?): Boolean

    /**
     * Confirms [tokens] that [tryTake] took, when the wait before the retry is over; at once if they are for a copy, which
     * is sent only if they are paid. Returns 0 if they are paid, [UNPAID] if not, or the ns after which to ask again. Unpaid
     * tokens count as never taken, and end the call. A quota that processes share thus has the time of the wait to pay; a
     * local one pays at once.
     */
    public fun confirm(tokens: Int): Long = 0

    /** The retry or the copy that [tokens] were taken for begins. From now on only the success of its call gives them back. */
    public fun begun(tokens: Int) {}

    /** Gives back [tokens] that were taken for a retry which is not made; returns how many there was room for. */
    public fun giveBack(tokens: Int, operation: String?): Int

    /**
     * Gives back [tokens] after a call of [operation] succeeded: the tokens of its last retry, or the refund of a first
     * try. Returns how many there was room for. Every successful call executes this.
     */
    public fun succeeded(tokens: Int, operation: String?): Int

    public companion object {
        /** The result of [confirm] for tokens that could not be paid. */
        public const val UNPAID: Long = -1
    }
}
