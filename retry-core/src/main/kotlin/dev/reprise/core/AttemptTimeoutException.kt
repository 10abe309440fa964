package dev.reprise.core

import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.RetryableFailure
import dev.reprise.core.time.briefText

/**
 * One attempt took longer than the policy lets it: a transient failure, and the last attempt's own if it was the last.
 */
public class AttemptTimeoutException(
    /** The attempt's number, from 1. */
    public val attempt: Int,
    /** How long it was given, in ns. */
    public val timeoutNanos: Long,
) : RuntimeException("attempt $attempt took longer than ${briefText(timeoutNanos)}"),
    RetryableFailure {
    override val failureKind: FailureKind get() = FailureKind.TIMEOUT

    private companion object {
        const val serialVersionUID = 1L
    }
}
