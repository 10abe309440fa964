package dev.reprise.benchmarks

import java.net.Authenticator
import java.net.CookieHandler
import java.net.ProxySelector
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpHeaders
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLParameters
import javax.net.ssl.SSLSession

internal const val OK = 200
internal const val UNAVAILABLE = 503
private val NO_HEADERS = HttpHeaders.of(emptyMap()) { _, _ -> true }

/** A client that answers on the caller's thread: an empty 200, or a 503 where [fails]. */
class StubHttpClient(private val fails: () -> Boolean) : HttpClient() {
    override fun <T> send(request: HttpRequest, handler: HttpResponse.BodyHandler<T>): HttpResponse<T> {
        val head = Head(if (fails()) UNAVAILABLE else OK)
        val subscriber = handler.apply(head)
        subscriber.onSubscribe(NoSubscription)
        subscriber.onComplete()
        return Answer(request, head.status, subscriber.body.toCompletableFuture().join())
    }

    override fun <T> sendAsync(
        request: HttpRequest,
        handler: HttpResponse.BodyHandler<T>,
    ): CompletableFuture<HttpResponse<T>> = CompletableFuture.completedFuture(send(request, handler))

    override fun <T> sendAsync(
        request: HttpRequest,
        handler: HttpResponse.BodyHandler<T>,
        pushPromiseHandler: HttpResponse.PushPromiseHandler<T>?,
    ): CompletableFuture<HttpResponse<T>> = sendAsync(request, handler)

    override fun cookieHandler(): Optional<CookieHandler> = Optional.empty()

    override fun connectTimeout(): Optional<Duration> = Optional.empty()

    override fun followRedirects(): Redirect = Redirect.NEVER

    override fun proxy(): Optional<ProxySelector> = Optional.empty()

    override fun sslContext(): SSLContext = SSLContext.getDefault()

    override fun sslParameters(): SSLParameters = SSLParameters()

    override fun authenticator(): Optional<Authenticator> = Optional.empty()

    override fun version(): Version = Version.HTTP_1_1

    override fun executor(): Optional<Executor> = Optional.empty()
}

private class Head(val status: Int) : HttpResponse.ResponseInfo {
    override fun statusCode(): Int = status

    override fun headers(): HttpHeaders = NO_HEADERS

    override fun version(): HttpClient.Version = HttpClient.Version.HTTP_1_1
}

private object NoSubscription : Flow.Subscription {
    override fun request(n: Long) = Unit

    override fun cancel() = Unit
}

private class Answer<T>(private val request: HttpRequest, private val status: Int, private val body: T?) :
    HttpResponse<T> {
    override fun statusCode(): Int = status

    override fun request(): HttpRequest = request

    override fun previousResponse(): Optional<HttpResponse<T>> = Optional.empty()

    override fun headers(): HttpHeaders = NO_HEADERS

    override fun body(): T? = body

    override fun sslSession(): Optional<SSLSession> = Optional.empty()

    override fun uri(): URI = request.uri()

    override fun version(): HttpClient.Version = HttpClient.Version.HTTP_1_1
}
