package dev.reprise.core

/**
 * The action on a failure that a retrier nearer to it has given up on: a call inside the attempt, or a call of the
 * server, whose response says so.
 */
public enum class WhenRetriedBelow {
    /** The call ends: three layers of three attempts each then make three attempts, and not 27. */
    STOP,

    /**
     * The call goes on as after any failure. For work that is meant to begin again, such as a poll or a long job. Such
     * a call also retries while it serves a request that is a retry itself.
     */
    RETRY,
    ;

    /** [verdict] in a call that takes this action. */
    internal fun on(verdict: Verdict): Verdict =
        if (this == RETRY && verdict is Verdict.Retry) verdict.unrefused ?: verdict else verdict

    override fun toString(): String = word
}
