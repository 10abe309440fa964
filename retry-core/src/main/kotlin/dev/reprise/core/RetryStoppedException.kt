package dev.reprise.core

/** A call that ended with no exception of its own to show: see the kinds below. */
public abstract class RetryStoppedException internal constructor(
    message: String,
    /** How many attempts were made. */
    public val attempts: Int,
    /** Why the call ended. */
    public val reason: StopReason,
) : RuntimeException(message)

/** The call gave up on a result that was never accepted, and its policy says [OnBadResult.THROW]. */
public class BadResultException(
    /** The last attempt's result. */
    @Transient public val result: Any?,
    attempts: Int,
    reason: StopReason,
) : RetryStoppedException("no acceptable result in ${attemptsText(attempts)}, stopped: $reason", attempts, reason) {
    private companion object {
        const val serialVersionUID = 1L
    }
}

/**
 * The deadline passed and there is no failure to throw: the call began too late for an attempt, or a wait lasted
 * until then and the last result is gone. The reason is [StopReason.DEADLINE].
 */
public class DeadlineException internal constructor(attempts: Int) :
    RetryStoppedException("the deadline passed after ${attemptsText(attempts)}", attempts, StopReason.DEADLINE) {
    private companion object {
        const val serialVersionUID = 1L
    }
}

/**
 * The call may not send its next attempt and there is no failure to throw: no attempt was made, or the last one's result is
 * gone. The reason is [StopReason.RATE_LIMITED], or [StopReason.QUOTA] if a quota that processes share did not pay in the end.
 */
public class NoPermitException internal constructor(reason: StopReason, attempts: Int) :
    RetryStoppedException("no send permit ($reason)", attempts, reason) {
    private companion object {
        const val serialVersionUID = 1L
    }
}
