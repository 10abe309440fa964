package dev.reprise.okhttp

import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Once
import okhttp3.Call
import okhttp3.OkHttpClient
import okhttp3.Request

/**
 * Makes calls that are retried, blocking or enqueued; an enqueued one holds no thread while it waits, and no place in
 * the dispatcher. For Retrofit and any other user of a [Call.Factory].
 *
 * ```kotlin
 * val calls = RetryingCallFactory(client)
 * calls.newCall(request).enqueue(callback)
 * ```
 *
 * Each attempt is a call of the client: all its interceptors see each attempt, and a limit ends just that call, also on
 * HTTP/2. Others that cancel it, such as an interceptor, cancel the whole. Otherwise it works as [RetryInterceptor]. A
 * [RetryInterceptor] of the client is left out, so that attempts do not multiply.
 *
 * The call timeout covers the whole call, waits and the dispatcher's queue included, and continues in the last
 * attempt's body. Callbacks come on a thread of the dispatcher, or, after a limit or a cancellation in a wait, on one
 * of the retrier's or the dispatcher's executor; if that does not take them at once, on one of this library. Thread-safe.
 */
public class RetryingCallFactory(client: OkHttpClient, private val retries: OkHttpRetries) : Call.Factory {
    /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
    public constructor(client: OkHttpClient) : this(client, OkHttpRetries.standard())

    /** All calls are [retrier]'s: one quota and one send rate for all hosts. */
    public constructor(client: OkHttpClient, retrier: JavaRetrier) : this(client, OkHttpRetries.of(retrier))

    private val plain: OkHttpClient =
        client.newBuilder().apply { interceptors().removeAll { it is RetryInterceptor } }.build()
    private val once: OkHttpClient = plain.newBuilder().retryOnConnectionFailure(false).build()

    internal val repeatsByItself: Boolean get() = plain.retryOnConnectionFailure

    /** A call of [request] that is retried. */
    override fun newCall(request: Request): Call = RetryingCall(this, request, Plan(retries, request))

    /** The client of an attempt for which OkHttp's own repeats are allowed or not. */
    internal fun clientFor(areRepeatsAllowed: Boolean): OkHttpClient = if (areRepeatsAllowed) plain else once

    /** Runs [task] on a thread of the dispatcher, or on another if that does not take it at once: limits must not be late. */
    internal fun onDispatcher(task: Runnable): Unit =
        Once(task).runSoonOn(plain.dispatcher.executorService, Elsewhere::run)
}
