package dev.reprise.spring.webclient

import org.reactivestreams.Publisher
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.http.client.reactive.ClientHttpRequest
import org.springframework.http.client.reactive.ClientHttpRequestDecorator
import org.springframework.web.reactive.function.BodyInserter
import org.springframework.web.reactive.function.BodyInserters
import org.springframework.web.reactive.function.client.ClientRequest
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono

/**
 * The body of a request, which an inserter keeps to itself until it writes: remembers whether it was opened, and whether it can
 * be sent again. Confined to one call; an attempt's connection writes on a thread of its own.
 */
internal class WatchedBody private constructor(
    private val below: BodyInserter<*, in ClientHttpRequest>,
    private val isVouchedFor: Boolean,
) : BodyInserter<Any, ClientHttpRequest> {
    /** Whether a connection has asked for the body, or was told that there is none. */
    @Volatile
    var isOpened = false
        private set

    @Volatile
    private var isStream = false

    /** Whether the body can be sent again. A single value can, a stream only if the user says so. */
    val isRepeatable: Boolean get() = isVouchedFor || !isStream

    override fun insert(request: ClientHttpRequest, context: BodyInserter.Context): Mono<Void> =
        below.insert(WatchedRequest(request), context)

    private inner class WatchedRequest(request: ClientHttpRequest) : ClientHttpRequestDecorator(request) {
        override fun writeWith(body: Publisher<out DataBuffer>): Mono<Void> = super.writeWith(watched(body))

        override fun writeAndFlushWith(body: Publisher<out Publisher<out DataBuffer>>): Mono<Void> =
            super.writeAndFlushWith(watched(body))

        /** Sends the request without a body, as for a `Mono` that is empty. */
        override fun setComplete(): Mono<Void> = super.setComplete().doOnSubscribe { isOpened = true }

        /** [body], of the same kind: a connection sends one buffer in another way than a stream. */
        private fun <T : Any> watched(body: Publisher<out T>): Publisher<T> {
            if (body is Mono) return Mono.from(body).doOnSubscribe { isOpened = true }
            isStream = true
            return Flux.from(body).doOnSubscribe { isOpened = true }
        }
    }

    companion object {
        /** The body of [request], or `null` if it has none. */
        fun of(request: ClientRequest): WatchedBody? {
            val body = request.body()
            if (body === BodyInserters.empty<Any>()) return null
            return WatchedBody(body, request.attributes()[RetryExchangeFilter.BODY] == true)
        }
    }
}
