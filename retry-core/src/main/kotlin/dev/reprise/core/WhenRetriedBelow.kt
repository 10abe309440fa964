package dev.reprise.core

/**
 * What a call does about a failure that a retrier nearer to it has given up on: a call inside the attempt, or one of a server
 * whose response says so.
 */
public enum class WhenRetriedBelow(
    /** The word in documents. */
    public val word: String,
) {
    /** The call ends: three layers of three attempts each then make three attempts, and not 27. */
    STOP("stop"),

    /**
     * The call goes on as after any failure. For work that is meant to begin anew, such as a poll or a long job. Such a call also
     * retries while it serves a request that is a retry itself.
     */
    RETRY("retry"),
    ;

    override fun toString(): String = word
}
