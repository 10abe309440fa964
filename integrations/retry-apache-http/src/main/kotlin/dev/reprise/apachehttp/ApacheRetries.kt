package dev.reprise.apachehttp

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder
import org.apache.hc.client5.http.protocol.HttpClientContext
import org.apache.hc.core5.http.HttpHost
import org.apache.hc.core5.http.HttpRequest
import org.apache.hc.core5.http.protocol.HttpContext

/**
 * Retries for the classic client of Apache HttpClient 5, on the thread that makes the call.
 *
 * ```kotlin
 * val client = ApacheRetries.standard().addTo(HttpClients.custom()).build()
 * ```
 *
 * A call ends as it would without them: with the last attempt's response, its body unread, or with its own exception. How
 * it went is in `RetryReports.of(response)` and in the exception's suppressed `RetryTrace`. An attempt is all that the client
 * does for a request: redirects, answers to challenges, cookies, its cache. `cancel()` of the request ends a call at once,
 * also in the middle of a wait.
 *
 * One object can serve any number of clients, which then share quota and send rate. Immutable, and safe for any number of
 * threads.
 */
public class ApacheRetries internal constructor(
    private val retriers: ApacheRetriesBuilder.RetrierOf,
    private val rules: HttpFaces,
) {
    init {
        MarkCarriers.add(ApacheMarks)
    }

    /** Adds these to the client of [builder], and switches its own retries off. Returns [builder]. */
    public fun addTo(builder: HttpClientBuilder): HttpClientBuilder = builder
        .disableAutomaticRetries()
        .addExecInterceptorFirst("reprise", RetryHandler(this))

    /** The call of a [request] to [target] in this [context]. */
    internal fun callOf(
        request: HttpRequest,
        target: HttpHost,
        isOneShot: Boolean,
        context: HttpContext,
    ): HttpCall<JavaRetrier> {
        val own = context.getAttribute(OPTIONS) as CallOptions?
        return rules.call(retriers.of(request, target), own, request.method, isOneShot, false, request::containsHeader)
    }

    public companion object {
        private const val OPTIONS = "dev.reprise.options"

        /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
        @JvmStatic
        public fun standard(): ApacheRetries = builder().build()

        /** All calls are [retrier]'s: one quota and one send rate for all of them. */
        @JvmStatic
        public fun of(retrier: JavaRetrier): ApacheRetries = builder().retriers { _, _ -> retrier }.build()

        /** A builder. */
        @JvmStatic
        public fun builder(): ApacheRetriesBuilder = ApacheRetriesBuilder()

        /**
         * A context for a request with these [options]: its name for listeners, how long it may take, and whether it may be
         * repeated. Method and idempotency key decide that if they do not. A body that can be sent once is not sent again.
         */
        @JvmStatic
        public fun context(options: CallOptions): HttpClientContext =
            HttpClientContext.create().apply { setAttribute(OPTIONS, options) }
    }
}
