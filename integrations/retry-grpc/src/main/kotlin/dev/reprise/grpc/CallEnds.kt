package dev.reprise.grpc

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.BadResultException
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.shell.layers.Marked
import io.grpc.Status
import java.util.concurrent.CancellationException

/** The end of a call for its caller: a status, with the retrier's exception as its cause. */
internal object CallEnds {
    /** Whether [failure] carries a trace, or the mark of a give-up. */
    fun hasMoreToTell(failure: Throwable): Boolean =
        failure.suppressed.any { it is Marked } || RetryTrace.of(failure) != null

    /**
     * The status of a call that ends with [failure]. It is [cancelled] if the caller cancelled. If a deadline was over,
     * it is the status [own] of the last attempt, which was cancelled. At the call's own deadline ([isLate]) the
     * retrier's timer may fire before gRPC's; the words are gRPC's then too.
     */
    fun statusOf(failure: Throwable, own: Status?, cancelled: Status?, isLate: Boolean): Status = when (failure) {
        is CancellationException ->
            own?.takeIf { it.code == Status.Code.DEADLINE_EXCEEDED } ?: cancelled ?: Status.CANCELLED.withCause(failure)

        is AttemptTimeoutException ->
            own?.takeIf { it.code == Status.Code.DEADLINE_EXCEEDED }?.withCause(failure)
                ?: if (isLate) exceeded(failure) else Status.DEADLINE_EXCEEDED.of(failure)

        is BadResultException -> Status.UNKNOWN.of(failure)

        is RetryStoppedException -> {
            val isOver = failure.reason == StopReason.DEADLINE
            (if (isOver) Status.DEADLINE_EXCEEDED else Status.RESOURCE_EXHAUSTED).of(failure)
        }

        else -> Status.fromThrowable(failure).let { if (hasMoreToTell(failure)) it.withCause(failure) else it }
    }

    private fun exceeded(timeout: AttemptTimeoutException): Status {
        val seconds = timeout.getTimeout().toNanos() / 1e9
        return Status.DEADLINE_EXCEEDED
            .withDescription("CallOptions deadline exceeded after ${seconds}s. [${timeout.message}]")
            .withCause(timeout)
    }

    private fun Status.of(failure: Throwable) = withDescription(failure.message).withCause(failure)
}
