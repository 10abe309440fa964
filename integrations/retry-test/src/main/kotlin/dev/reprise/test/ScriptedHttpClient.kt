package dev.reprise.test

import dev.reprise.test.internal.PlainHttpClient
import java.io.IOException
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandler
import java.net.http.HttpResponse.PushPromiseHandler
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

/**
 * A `java.net.http` client without a network: [respond] responds to each request, in the time of [time]. Safe for any
 * number of threads, if [respond] is.
 */
public class ScriptedHttpClient(
    private val time: VirtualTime,
    private val respond: (HttpRequest) -> ScriptedResponse,
) : PlainHttpClient() {
    private val seen = mutableListOf<HttpRequest>()
    private val bodies = mutableListOf<ScriptedBody<*>>()

    /** The requests so far. */
    public val requests: List<HttpRequest> get() = synchronized(seen) { seen.toList() }

    /** How many bodies were neither read to their end nor cancelled. */
    public val openBodies: Int get() = synchronized(seen) { bodies.count { !it.isOver } }

    /** A client that responds with [responses], one after another; the last one repeats. */
    public constructor(time: VirtualTime, vararg responses: ScriptedResponse) : this(time, inTurn(responses.toList()))

    override fun <T> send(request: HttpRequest, handler: BodyHandler<T>): HttpResponse<T> {
        val response = answer(request)
        if (response.after.isPositive()) time.await(response.after)
        return try {
            received(request, response, handler, null).get()
        } catch (e: java.util.concurrent.ExecutionException) {
            throw e.cause ?: e
        }
    }

    override fun <T> sendAsync(request: HttpRequest, handler: BodyHandler<T>): CompletableFuture<HttpResponse<T>> {
        val response = answer(request)
        val future = CompletableFuture<HttpResponse<T>>()
        val timer = time.after(response.after) {
            try {
                received(request, response, handler, future).handle { received, failure ->
                    if (failure == null) future.complete(received) else future.completeExceptionally(failure)
                }
            } catch (e: Throwable) {
                future.completeExceptionally(e)
            }
        }
        future.whenComplete { _, _ -> timer.run() }
        return future
    }

    override fun <T> sendAsync(
        request: HttpRequest,
        handler: BodyHandler<T>,
        pushPromiseHandler: PushPromiseHandler<T>?,
    ): CompletableFuture<HttpResponse<T>> = sendAsync(request, handler)

    private fun answer(request: HttpRequest): ScriptedResponse {
        synchronized(seen) { seen += request }
        return respond(request)
    }

    private fun <T> received(
        request: HttpRequest,
        response: ScriptedResponse,
        handler: BodyHandler<T>,
        future: CompletableFuture<*>?,
    ): CompletableFuture<HttpResponse<T>> {
        response.failure?.let { throw it() }
        val head = ScriptedHead(request, response)
        val subscriber = handler.apply(head)
        val body = ScriptedBody(response.bytes, subscriber)
        synchronized(seen) { bodies += body }
        // As the real client: a request that is cancelled closes its connection.
        future?.whenComplete { _, failure -> if (failure != null) body.cancel() }
        subscriber.onSubscribe(body)
        return subscriber.body.thenApply<HttpResponse<T>> { ScriptedReply(head, it) }.toCompletableFuture()
    }

    override fun toString(): String = "scripted client in $time"
}

/** Gives [all] one after another; the last one repeats. Throws an [IOException] if there is none. Safe for any number of threads. */
internal fun inTurn(all: List<ScriptedResponse>): (Any) -> ScriptedResponse {
    val next = AtomicInteger()
    return {
        if (all.isEmpty()) throw IOException("no response is scripted")
        all[next.getAndUpdate { minOf(it + 1, all.lastIndex) }]
    }
}
