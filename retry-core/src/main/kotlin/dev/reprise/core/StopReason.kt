package dev.reprise.core

/** Why a call ended. */
public enum class StopReason {
    /** An outcome was accepted. */
    SUCCESS,

    /** The policy's attempts are used up; while a server serves a retry, that is one attempt. */
    ATTEMPTS,

    /**
     * A retrier nearer to the failure has given up on it: a call inside the attempt, or one of the server, whose response says
     * so. See [WhenRetriedBelow].
     */
    RETRIED_BELOW,

    /** The retry quota has too few tokens for another retry. */
    QUOTA,

    /** The next wait, or the next attempt, would cross the policy's deadline. */
    DEADLINE,

    /** The next retry would begin after the time that the policy's `stopAfter` allows. */
    TIME,

    /** The failure is one that another attempt would not change, or the server asked for longer than the policy waits. */
    REJECTED,

    /** The work cannot be repeated safely, or its body cannot be sent again. */
    NOT_REPLAYABLE,

    /** The send-rate limiter had no permit, and the policy does not wait for one (that long). */
    RATE_LIMITED,

    /** The caller cancelled, or its thread was interrupted. */
    CANCELLED,
    ;

    /** Whether a call that could have retried, and ends so, has given up on its failure. */
    internal val isGiveUp: Boolean
        get() = this == ATTEMPTS || this == QUOTA || this == DEADLINE || this == TIME || this == RETRIED_BELOW

    /** Advice to the user, or `null` if there is none. */
    internal val advice: String?
        get() = if (this == RETRIED_BELOW) ADVICE else null

    override fun toString(): String = word
}

private const val ADVICE = "a retrier nearer to the failure had given up on it; " +
    "if this call is meant to begin anew then, say whenRetriedBelow(RETRY) in its policy"
