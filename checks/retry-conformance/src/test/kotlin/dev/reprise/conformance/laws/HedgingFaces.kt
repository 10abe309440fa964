package dev.reprise.conformance.laws

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.okhttp.OkHttpRetries
import dev.reprise.okhttp.RetryingCallFactory
import io.ktor.client.request.prepareRequest
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsChannel
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import io.ktor.http.content.OutgoingContent
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.readBuffer
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.future.asCompletableFuture
import kotlinx.io.readByteArray
import okhttp3.ConnectionPool
import okhttp3.OkHttpClient
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import okio.BufferedSink
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** A body of a request. */
enum class AskBody { NOTHING, TEXT, ONE_SHOT }

/** A request. The response may be one that the caller reads as it arrives. */
class Ask(
    val uri: URI,
    val method: String = "GET",
    val sent: AskBody = AskBody.NOTHING,
    val isStreamed: Boolean = false,
)

/** A call under way: what it returns, as `200 text`, and how its caller cancels it. */
class Asked(private val end: CompletableFuture<String>, val cancel: () -> Unit) {
    fun await(): String = end.get(30, TimeUnit.SECONDS)
}

/** An HTTP client that sends copies. Closing it ends its threads, which fails if an execution is left behind. */
abstract class HedgingClient : AutoCloseable {
    protected val threads: ExecutorService = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }

    abstract fun ask(ask: Ask): Asked

    override fun close() {
        threads.shutdown()
        check(threads.awaitTermination(20, TimeUnit.SECONDS)) { "an execution has no end" }
    }

    protected fun java(policy: RetryPolicy, listener: RetryListener): JavaRetrier =
        JavaRetrier.builder(policy).clock { 0 }.listener(listener).hedgeExecutor(threads).build()

    /** Makes [call] on a thread of its own. */
    protected fun onThread(cancel: (Thread) -> Unit = { it.interrupt() }, call: () -> String): Asked {
        val end = CompletableFuture<String>()
        val thread = Thread {
            try {
                end.complete(call())
            } catch (e: Throwable) {
                end.completeExceptionally(e)
            }
        }
        thread.isDaemon = true
        thread.start()
        return Asked(end) { cancel(thread) }
    }
}

/** The faces of HTTP that send copies. */
enum class HedgingFace(
    val open: (RetryPolicy, RetryListener) -> HedgingClient,
    /** Whether the caller can have a response whose body is still arriving, which forbids a copy. */
    val readsStreams: Boolean = true,
) {
    KTOR(::KtorClient),
    JDK_ASYNC({ policy, listener -> JdkClient(policy, listener, isAsync = true) }),
    JDK_BLOCKING({ policy, listener -> JdkClient(policy, listener, isAsync = false) }),
    OKHTTP_ENQUEUED({ policy, listener -> OkClient(policy, listener, isAsync = true) }, readsStreams = false),
    OKHTTP_BLOCKING({ policy, listener -> OkClient(policy, listener, isAsync = false) }, readsStreams = false),
}

private class KtorClient(policy: RetryPolicy, listener: RetryListener) : HedgingClient() {
    private val scope = CoroutineScope(Dispatchers.Default)
    private val retrier = Retrier(policy) {
        clock { 0 }
        listener(listener)
    }
    private val client = io.ktor.client.HttpClient(io.ktor.client.engine.cio.CIO) {
        install(Retry) { retriers = RetrierCache(1) { retrier } }
    }

    override fun ask(ask: Ask): Asked {
        val call = scope.async {
            val statement = client.prepareRequest(ask.uri.toString()) {
                method = HttpMethod.parse(ask.method)
                if (ask.sent == AskBody.TEXT) setBody("text")
                if (ask.sent == AskBody.ONE_SHOT) setBody(OneShotContent())
            }
            if (ask.isStreamed) {
                statement.execute {
                    "${it.status.value} ${it.bodyAsChannel().readBuffer().readByteArray().decodeToString()}"
                }
            } else {
                statement.execute().let { "${it.status.value} ${it.bodyAsText()}" }
            }
        }
        return Asked(call.asCompletableFuture()) { call.cancel() }
    }

    override fun close() {
        scope.cancel()
        client.close()
        super.close()
    }
}

private class OneShotContent : OutgoingContent.ReadChannelContent() {
    override fun readFrom() = ByteReadChannel("text")
}

private class JdkClient(policy: RetryPolicy, listener: RetryListener, private val isAsync: Boolean) : HedgingClient() {
    private val retrier = java(policy, listener)
    private val client = RetryingHttpClient
        .around(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build())
        .retriers { retrier }
        .build()

    override fun ask(ask: Ask): Asked {
        val body = when (ask.sent) {
            AskBody.NOTHING -> BodyPublishers.noBody()
            AskBody.TEXT -> BodyPublishers.ofString("text")
            AskBody.ONE_SHOT -> BodyPublishers.ofInputStream { "text".byteInputStream() }
        }
        val request = HttpRequest.newBuilder(ask.uri).method(ask.method, body).build()
        return if (ask.isStreamed) {
            send(request, BodyHandlers.ofInputStream()) { String(it.readAllBytes()) }
        } else {
            send(request, BodyHandlers.ofString()) { it }
        }
    }

    private fun <T> send(request: HttpRequest, handler: HttpResponse.BodyHandler<T>, text: (T) -> String): Asked {
        if (!isAsync) return onThread { client.send(request, handler).let { "${it.statusCode()} ${text(it.body())}" } }
        val response = client.sendAsync(request, handler)
        return Asked(response.thenApply { "${it.statusCode()} ${text(it.body())}" }) { response.cancel(true) }
    }
}

private class OkClient(policy: RetryPolicy, listener: RetryListener, private val isAsync: Boolean) : HedgingClient() {
    private val client = OkHttpClient.Builder().connectionPool(ConnectionPool(5, 1, TimeUnit.MINUTES)).build()
    private val calls = RetryingCallFactory(client, OkHttpRetries.of(java(policy, listener)))

    override fun ask(ask: Ask): Asked {
        val body = when (ask.sent) {
            AskBody.NOTHING -> if (ask.method == "POST") "".toRequestBody() else null
            AskBody.TEXT -> "text".toRequestBody()
            AskBody.ONE_SHOT -> OneShotBody()
        }
        val request = okhttp3.Request.Builder().url(ask.uri.toString()).method(ask.method, body).build()
        val call = calls.newCall(request)
        if (!isAsync) return onThread({ call.cancel() }) { text(call.execute()) }
        return Asked(call.enqueued().thenApply(::text), call::cancel)
    }

    private fun text(response: Response) = response.use { "${it.code} ${it.body.string()}" }

    override fun close() {
        client.dispatcher.executorService.shutdown()
        client.connectionPool.evictAll()
        super.close()
    }
}

private class OneShotBody : RequestBody() {
    override fun contentType() = null

    override fun contentLength() = 4L

    override fun isOneShot() = true

    override fun writeTo(sink: BufferedSink) {
        sink.writeUtf8("text")
    }
}
