package dev.reprise.grpc

import io.grpc.Attributes
import io.grpc.ClientStreamTracer
import io.grpc.Metadata

/** Knows whether a request was given to a connection, also by a transparent retry of the channel's. */
internal class SentWatch : ClientStreamTracer.Factory() {
    @Volatile
    var isSent: Boolean = false
        private set

    override fun newClientStreamTracer(info: ClientStreamTracer.StreamInfo, headers: Metadata): ClientStreamTracer =
        object : ClientStreamTracer() {
            override fun streamCreated(transportAttrs: Attributes, headers: Metadata) {
                isSent = true
            }
        }
}
