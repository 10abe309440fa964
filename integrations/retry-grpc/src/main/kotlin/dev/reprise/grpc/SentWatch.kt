package dev.reprise.grpc

import io.grpc.Attributes
import io.grpc.ClientStreamTracer
import io.grpc.Metadata

/**
 * Knows whether a request was given to a connection, also by a transparent retry of the channel's. Tells [call] of any other retry that
 * the channel makes by itself: a response of trailers alone does not say so.
 */
internal class SentWatch(private val call: RetryingClientCall<*, *>) : ClientStreamTracer.Factory() {
    @Volatile
    var isSent: Boolean = false
        private set

    override fun newClientStreamTracer(info: ClientStreamTracer.StreamInfo, headers: Metadata): ClientStreamTracer {
        if (info.previousAttempts > 0) call.ownRetriesSeen()
        return object : ClientStreamTracer() {
            override fun streamCreated(transportAttrs: Attributes, headers: Metadata) {
                isSent = true
            }
        }
    }
}
