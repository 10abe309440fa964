package dev.reprise.grpc

/**
 * A response as listeners and backoffs see it: the result of an attempt. The policy's classifier is asked about the [message]
 * itself.
 */
public class GrpcResponse internal constructor(
    /** The response's message, of a stream the first one; `null` if the stream has none. */
    public val message: Any?,
    internal val attempt: HeldAttempt<*>,
) {
    override fun toString(): String = "$message"
}
