package dev.reprise.test

import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpHeaders
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.ByteBuffer
import java.util.Optional
import java.util.concurrent.Flow
import javax.net.ssl.SSLSession

internal class ScriptedHead(val request: HttpRequest, private val response: ScriptedResponse) :
    HttpResponse.ResponseInfo {
    private val headers = HttpHeaders.of(response.headers.mapValues { listOf(it.value) }) { _, _ -> true }

    override fun statusCode(): Int = response.status

    override fun headers(): HttpHeaders = headers

    override fun version(): HttpClient.Version = HttpClient.Version.HTTP_1_1
}

internal class ScriptedReply<T>(private val head: ScriptedHead, private val body: T) : HttpResponse<T> {
    override fun statusCode(): Int = head.statusCode()

    override fun request(): HttpRequest = head.request

    override fun previousResponse(): Optional<HttpResponse<T>> = Optional.empty()

    override fun headers(): HttpHeaders = head.headers()

    override fun body(): T = body

    override fun sslSession(): Optional<SSLSession> = Optional.empty()

    override fun uri(): URI = head.request.uri()

    override fun version(): HttpClient.Version = head.version()

    override fun toString(): String = "HTTP ${statusCode()} from ${uri()}"
}

/** One body on its way: [bytes] in one piece, when they are asked for. */
internal class ScriptedBody<T>(private val bytes: ByteArray, private val subscriber: HttpResponse.BodySubscriber<T>) :
    Flow.Subscription {
    @Volatile
    var isOver = false
        private set

    override fun request(n: Long) {
        synchronized(this) {
            if (isOver) return
            isOver = true
        }
        if (bytes.isNotEmpty()) subscriber.onNext(listOf(ByteBuffer.wrap(bytes)))
        subscriber.onComplete()
    }

    override fun cancel() {
        synchronized(this) { isOver = true }
    }
}
