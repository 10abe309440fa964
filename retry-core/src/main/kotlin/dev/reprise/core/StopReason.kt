package dev.reprise.core

/** Why a call ended. */
public enum class StopReason(
    /** The word in traces, metrics and documents. */
    public val word: String,
) {
    /** An outcome was accepted. */
    SUCCESS("success"),

    /** The policy's attempts are used up. */
    ATTEMPTS("attempts"),

    /** The retry quota has too few tokens for another retry. */
    QUOTA("quota"),

    /** The next wait, or the next attempt, would cross the policy's deadline. */
    DEADLINE("deadline"),

    /** The failure is one that another attempt would not change, or the server asked for longer than the policy waits. */
    REJECTED("rejected"),

    /** The work cannot be repeated safely, or its body cannot be sent again. */
    NOT_REPLAYABLE("not-replayable"),

    /** The send-rate limiter had no permit, and the policy does not wait for one (that long). */
    RATE_LIMITED("rate-limited"),

    /** The caller cancelled, or its thread was interrupted. */
    CANCELLED("cancelled"),
    ;

    override fun toString(): String = word
}
