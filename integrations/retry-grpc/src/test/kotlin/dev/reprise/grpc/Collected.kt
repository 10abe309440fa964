package dev.reprise.grpc

import io.grpc.ClientCall
import io.grpc.Metadata
import io.grpc.Status
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList

/** Collects what a call's listener is told, and completes when the call is closed. */
internal class Collected<R>(private val onMessage: (R) -> Unit = {}) : ClientCall.Listener<R>() {
    val told: MutableList<String> = CopyOnWriteArrayList()
    val messages: MutableList<R> = CopyOnWriteArrayList()
    val closed = CompletableFuture<Status>()
    var trailers: Metadata? = null
        private set

    override fun onHeaders(headers: Metadata) {
        told += "headers"
    }

    override fun onMessage(message: R) {
        told += "message"
        messages += message
        onMessage.invoke(message)
    }

    override fun onClose(status: Status, trailers: Metadata) {
        told += "close"
        this.trailers = trailers
        check(closed.complete(status)) { "the call was closed twice" }
    }
}

/** Starts this call with one request and room for all responses. */
internal fun <R> ClientCall<String, R>.begin(listener: Collected<R> = Collected()): Collected<R> {
    start(listener, Metadata())
    request(Int.MAX_VALUE)
    sendMessage("hello")
    halfClose()
    return listener
}
