package dev.reprise.grpc

import io.grpc.Metadata
import io.grpc.Status
import io.grpc.StatusRuntimeException

/**
 * One attempt of a call ended with [status]. Without a stack trace: it would show gRPC's own threads. The caller gets the
 * status itself, with this as its cause, which carries the `RetryTrace`.
 */
internal class AttemptFailure(
    status: Status,
    trailers: Metadata,
    /** Whether the request never reached a connection. */
    val isUnsent: Boolean,
) : StatusRuntimeException(status, trailers) {
    override fun fillInStackTrace(): Throwable = this
}
