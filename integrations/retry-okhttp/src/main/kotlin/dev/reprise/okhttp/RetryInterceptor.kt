package dev.reprise.okhttp

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.java.JavaRetrier
import okhttp3.Interceptor
import okhttp3.Response
import java.io.IOException

/**
 * Retries the calls of an OkHttp client on the thread that makes them.
 *
 * ```kotlin
 * val client = OkHttpClient.Builder().addInterceptor(RetryInterceptor()).build()
 * ```
 *
 * A call ends as it would without it: with the last attempt's response, or its own exception. How it went is in
 * [retryReport] and in the exception's suppressed [RetryTrace]. A rejected response is closed before the wait.
 * `Call.cancel()` and the call timeout end a call at once, also in the middle of a wait.
 *
 * Interceptors that are added before this one see the call, those after it each attempt. In an enqueued call this one
 * sleeps on a thread of the dispatcher, and counts towards its limit of five calls to a host: [RetryingCallFactory]
 * does neither.
 *
 * Thread-safe.
 */
public class RetryInterceptor(private val retries: OkHttpRetries) : Interceptor {
    /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
    public constructor() : this(OkHttpRetries.standard())

    /** All calls are [retrier]'s: one quota and one send rate for all hosts. */
    public constructor(retrier: JavaRetrier) : this(OkHttpRetries.of(retrier))

    /**
     * Sends the request of [chain] until a response is accepted or the policy gives up.
     *
     * @throws IOException the last attempt's own; `Canceled` when the call is cancelled
     * @throws IllegalStateException if this was added as a network interceptor, or twice
     */
    override fun intercept(chain: Interceptor.Chain): Response {
        check(chain.connection() == null) { "RetryInterceptor is for addInterceptor, not for addNetworkInterceptor" }
        val inside = chain.call().tag(Inside::class.java) { Inside() }
        check(!inside.isTrue) { "a call passes two RetryInterceptors, their attempts would multiply: remove one" }
        inside.isTrue = true
        try {
            val plan = Plan(retries, chain.request())
            return BlockingExchange(plan, chain.request(), ChainSender(chain, plan)).execute()
        } finally {
            inside.isTrue = false
        }
    }

    /** Whether a call is inside a [RetryInterceptor]. */
    private class Inside {
        @Volatile
        var isTrue = false
    }
}
