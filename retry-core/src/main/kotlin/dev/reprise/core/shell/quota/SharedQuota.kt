package dev.reprise.core.shell.quota

/**
 * A quota that processes share, whose [tryTake] is a promise: it has the time of the wait before the retry to get the tokens.
 * When that is over the call asks it a second time; a quota of this process pays at once, and is never asked.
 */
public interface SharedQuota : Quota {
    /**
     * Confirms [tokens] that [tryTake] took, when the wait before the retry is over; at once if they are for a copy, which
     * is sent only if they are paid. Returns 0 if they are paid, [UNPAID] if not, or the ns after which to ask again. Unpaid
     * tokens are given back, and end the call.
     */
    public fun confirm(tokens: Int): Long

    public companion object {
        /** The result of [confirm] for tokens that could not be paid. */
        public const val UNPAID: Long = -1
    }
}
