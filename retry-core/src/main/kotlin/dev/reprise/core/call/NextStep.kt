package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi

/** The next step of a call. Its shell does just that, and reports back. */
@ShellApi
public enum class NextStep {
    /** Wait [RetryCall.delayNanos], then report [RetryCall.waited]. */
    WAIT,

    /** Ask for a send permit, then report [RetryCall.permitted] or [RetryCall.permitRefused]. */
    PERMIT,

    /** Close or release [RetryCall.rejected], which the caller will not get, then report [RetryCall.discarded]. */
    DISCARD,

    /** Report [RetryCall.attemptStarts], make the attempt, then report [RetryCall.completed] or [RetryCall.failed]. */
    ATTEMPT,

    /** The call is over: throw [RetryCall.failure], or return [RetryCall.value]. */
    DONE,
}
