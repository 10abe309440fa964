package dev.reprise.okhttp

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.AmzHeaders
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.HttpRetrier
import dev.reprise.core.shell.http.RepeatRule
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
    private val repeats: RepeatRule,
    private val headers: AttemptHeaders.Settings,
    errorBodyBytes: Int,
) {
    init {
        OkHttpVersion.check()
        MarkCarriers.add(OkHttpMarks)
    }

    private val ready = HttpFaces.retriers(errorBodyBytes, ::WithOwnRepeats)

    internal fun retrierOf(request: Request): HttpRetrier<JavaRetrier> = ready.of(retriers.of(request))

    /** The options of [request], for which its user [asked]. OkHttp opens a body only when it has a connection. */
    internal fun optionsOf(request: Request, asked: CallOptions?): CallOptions {
        val body = request.body
        if (body?.isDuplex() == true) return HttpRepeats.once(asked)
        return repeats.optionsOf(asked, request.method, body?.isOneShot() == true) { request.headers[it] != null }
    }

    /** [options] of a call of [retrier], called by method and host if it has no name and a listener could tell. */
    internal fun named(options: CallOptions, request: Request, retrier: HttpRetrier<JavaRetrier>): CallOptions =
        retrier.retrier.retrier().setup.http(options, request.method, request.url.host)

    internal fun requestsOf(request: Request, body: OneShotWatch?, retrier: HttpRetrier<JavaRetrier>): AttemptRequests {
        val isNumbered = request.header(AmzHeaders.REQUEST) != null
        return AttemptRequests(request, body, headers.ofCall(retrier.policy.maxAttempts, isNumbered))
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
