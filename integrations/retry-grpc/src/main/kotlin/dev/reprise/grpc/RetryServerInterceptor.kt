package dev.reprise.grpc

import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.values.readUpstream
import dev.reprise.coroutines.Retrier
import io.grpc.Context
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener
import io.grpc.Metadata
import io.grpc.ServerCall
import io.grpc.ServerCallHandler
import io.grpc.ServerInterceptor
import io.grpc.Status
import java.util.concurrent.TimeUnit
import java.util.function.Consumer

/**
 * Keeps retries of layers from multiplying, in a gRPC server whose handlers make calls of their own.
 *
 * For a request that is a retry, calls inside make one attempt; its deadline shortens theirs. A failure that a retrier inside has
 * given up on carries `grpc-retry-pushback-ms: -1`, so that the caller does not retry it. It has to end the call through this
 * interceptor: an exception that the handler throws does not, unless an interceptor that was added before turns it into a status.
 *
 * This holds on the threads that gRPC runs the handler on. Work that the handler hands to other threads has to take it along:
 * `ServedRequest.putOnThread`, or `serving` of retry-coroutines. A coroutine server of grpc-kotlin begins on another thread;
 * `docs/grpc.md` has the interceptor that takes it along there. Safe for any number of threads.
 */
public class RetryServerInterceptor(private val onRequest: Consumer<Upstream>) : ServerInterceptor {
    /** Reports no requests. */
    public constructor() : this({})

    override fun <Q, R> interceptCall(
        call: ServerCall<Q, R>,
        headers: Metadata,
        next: ServerCallHandler<Q, R>,
    ): ServerCall.Listener<Q> {
        val upstream = upstreamOf(headers)
        onRequest.accept(upstream)
        val request = ServedRequest(upstream, Retrier.SYSTEM_CLOCK)
        val listener = request.open().use { next.startCall(MarkedCall(call, request), headers) }
        return ServingListener(listener, request)
    }

    /** Says in a copy of the trailers of a failure whether a retrier inside has given up on it. */
    private class MarkedCall<Q, R>(call: ServerCall<Q, R>, private val request: ServedRequest) :
        SimpleForwardingServerCall<Q, R>(call) {
        override fun close(status: Status, trailers: Metadata) {
            super.close(status, if (status.isOk) trailers else marked(status, trailers))
        }

        private fun marked(status: Status, trailers: Metadata): Metadata {
            status.cause?.let(request::failed)
            if (!request.isRetriedBelow || hasOwnPushback(trailers)) return trailers
            // The handler may use its trailers again.
            return Metadata().apply {
                merge(trailers)
                discardAll(Pushback.KEY)
                put(Pushback.KEY, Pushback.STOP.toString())
            }
        }

        /** Whether the handler has set a pushback itself. That of the failure that a retrier gave up on is only passed on. */
        private fun hasOwnPushback(trailers: Metadata): Boolean {
            val own = trailers[Pushback.KEY] ?: return false
            return own != request.failure?.let(Status::trailersFromThrowable)?.get(Pushback.KEY)
        }
    }

    private class ServingListener<Q>(listener: ServerCall.Listener<Q>, private val request: ServedRequest) :
        SimpleForwardingServerCallListener<Q>(listener) {
        override fun onMessage(message: Q) = request.open().use { super.onMessage(message) }

        override fun onHalfClose() = request.open().use { super.onHalfClose() }

        override fun onReady() = request.open().use { super.onReady() }

        override fun onCancel() = request.open().use { super.onCancel() }

        override fun onComplete() = request.open().use { super.onComplete() }
    }

    private fun upstreamOf(headers: Metadata): Upstream {
        val upstream = readUpstream { headers[Metadata.Key.of(it, Metadata.ASCII_STRING_MARSHALLER)] }
        val deadline = Context.current().deadline ?: return upstream
        return upstream.within(java.time.Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS)))
    }
}
