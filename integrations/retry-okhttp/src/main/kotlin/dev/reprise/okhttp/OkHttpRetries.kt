package dev.reprise.okhttp

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import okhttp3.Request

/**
 * Settings for the retries of OkHttp's calls: the retrier of each request, the rules for repeating, the bytes to read
 * of a failure. One object can serve an interceptor and a call factory, of any number of clients, which then share
 * quota and send rate.
 *
 * Immutable, and safe for any number of threads.
 */
public class OkHttpRetries internal constructor(
    private val retriers: OkHttpRetriesBuilder.RetrierOf,
    private val rules: HttpFaces,
) {
    init {
        OkHttpVersion.check()
        MarkCarriers.add(OkHttpMarks)
    }

    /** The call of [request]. OkHttp opens a body only when it has a connection. */
    internal fun callOf(request: Request): HttpCall<JavaRetrier> {
        val own = request.tag(RetryTag::class.java)?.options
        val isOneShot = request.body?.isOneShot() == true
        return rules.call(retriers.of(request), own, request.method, isOneShot, false) { request.headers[it] != null }
    }

    public companion object {
        /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
        @JvmStatic
        public fun standard(): OkHttpRetries = builder().build()

        /** All calls are [retrier]'s: one quota and one send rate for all of them. */
        @JvmStatic
        public fun of(retrier: JavaRetrier): OkHttpRetries = builder().retriers { retrier }.build()

        /** A builder. */
        @JvmStatic
        public fun builder(): OkHttpRetriesBuilder = OkHttpRetriesBuilder()
    }
}
