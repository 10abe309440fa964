package dev.reprise.okhttp

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import io.kotest.assertions.withClue
import okhttp3.Call
import okhttp3.Callback
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import okhttp3.WebSocket
import okhttp3.WebSocketListener
import okio.BufferedSink
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The four ways to make a call. */
enum class Face(private val isFactory: Boolean, private val isEnqueued: Boolean) {
    INTERCEPTOR(false, false),
    INTERCEPTOR_ENQUEUED(false, true),
    FACTORY(true, false),
    FACTORY_ENQUEUED(true, true),
    ;

    fun calls(retries: OkHttpRetries, client: OkHttpClient = OkHttpClient()): Call.Factory = if (isFactory) {
        RetryingCallFactory(client, retries)
    } else {
        client.newBuilder().addInterceptor(RetryInterceptor(retries)).build()
    }

    /** Calls of a client with an [interceptor] that stands below ours. */
    fun over(interceptor: Interceptor, retries: OkHttpRetries, client: OkHttpClient = OkHttpClient()): Call.Factory =
        if (isFactory) {
            calls(retries, client.newBuilder().addInterceptor(interceptor).build())
        } else {
            client.newBuilder().addInterceptor(RetryInterceptor(retries)).addInterceptor(interceptor).build()
        }

    fun send(call: Call): Response = if (isEnqueued) call.enqueued() else call.execute()
}

/** Does [check] for all faces at once: for what takes its time. */
fun onEachFace(check: (Face) -> Unit) {
    val threads = Executors.newCachedThreadPool()
    val checks = Face.entries.map { face -> face to threads.submit { check(face) } }
    threads.shutdown()
    for ((face, done) in checks) withClue(face) { done.get() }
}

/** The first message from the web socket that [request] opens. */
fun OkHttpClient.firstMessage(request: Request): String {
    val message = CompletableFuture<String>()
    val socket = newWebSocket(
        request,
        object : WebSocketListener() {
            override fun onMessage(webSocket: WebSocket, text: String) {
                message.complete(text)
            }

            override fun onFailure(webSocket: WebSocket, t: Throwable, response: Response?) {
                message.completeExceptionally(t)
            }
        },
    )
    try {
        return message.get(30, TimeUnit.SECONDS)
    } catch (e: ExecutionException) {
        throw e.cause!!
    } finally {
        socket.cancel()
    }
}

fun Call.future(): CompletableFuture<Response> {
    val future = CompletableFuture<Response>()
    enqueue(
        object : Callback {
            override fun onFailure(call: Call, e: IOException) {
                future.completeExceptionally(e)
            }

            override fun onResponse(call: Call, response: Response) {
                future.complete(response)
            }
        },
    )
    return future
}

fun Call.enqueued(): Response = try {
    future().get(20, TimeUnit.SECONDS)
} catch (e: ExecutionException) {
    throw e.cause!!
}

/** Retries with waits of 1 ms, changed by [changes]. */
fun quickly(changes: RetryPolicyBuilder.() -> Unit = {}): OkHttpRetries =
    OkHttpRetries.builder().policy(quickPolicy(changes)).build()

fun quickPolicy(changes: RetryPolicyBuilder.() -> Unit = {}): RetryPolicy = RetryPolicy {
    backoff = Backoff.fixed(1.milliseconds)
    honourRetryAfter(60.seconds)
    changes()
}

/** Retries that wait a minute. */
fun slowly(changes: RetryPolicyBuilder.() -> Unit = {}): OkHttpRetries = quickly {
    backoff = Backoff.fixed(60.seconds)
    changes()
}

class OneShot(private val text: String) : RequestBody() {
    private var isGone = false

    override fun contentType() = null

    // Not chunked: RawServer reads by length.
    override fun contentLength() = text.length.toLong()

    override fun isOneShot() = true

    override fun writeTo(sink: BufferedSink) {
        check(!isGone) { "written twice" }
        isGone = true
        sink.writeUtf8(text)
    }
}

fun request(url: String, method: String = "GET", body: RequestBody? = bodyFor(method)): Request =
    Request.Builder().url(url).method(method, body).build()

fun bodyFor(method: String): RequestBody? =
    if (method == "GET" || method == "HEAD" || method == "DELETE") null else "content".toRequestBody()

fun millis(block: () -> Unit): Long {
    val start = System.nanoTime()
    block()
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)
}
