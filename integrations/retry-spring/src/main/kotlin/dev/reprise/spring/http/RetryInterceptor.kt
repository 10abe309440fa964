package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.java.JavaRetrier
import org.springframework.http.HttpRequest
import org.springframework.http.client.ClientHttpRequestExecution
import org.springframework.http.client.ClientHttpRequestInterceptor
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException

/**
 * Retries the requests of a RestClient or RestTemplate.
 *
 * ```kotlin
 * val client = RestClient.builder().requestInterceptor(RetryInterceptor()).build()
 * ```
 *
 * Interceptors that are added before this one see the call, those after it each attempt. A rejected response is closed before
 * the wait. With any interceptor Spring keeps the request's body in memory; to stream bodies, use [RetryingRequestFactory].
 *
 * A call ends as it would without it: with the last attempt's response, which Spring turns into its own exception, or with the
 * last attempt's exception. An attempt that takes too long is a `SocketTimeoutException`. A limit ends reads and
 * writes over the JDK's client, Jetty's and Reactor Netty's; over Apache's if Boot makes the factory or a [RetryingRequestFactory]
 * stands over it, or [CuttableRequests.of] was called. Over HttpURLConnection it waits for the read or write that is under way, and
 * over the JDK's client for a factory or an interceptor further in that reads bodies itself: set a read timeout.
 *
 * Thread-safe.
 */
public class RetryInterceptor(private val retries: HttpRetries) : ClientHttpRequestInterceptor {
    /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
    public constructor() : this(HttpRetries.standard())

    /** All requests are [retrier]'s: one quota and one send rate for all hosts. */
    public constructor(retrier: JavaRetrier) : this(HttpRetries.of(retrier))

    /**
     * Sends [request] until a response is accepted or the policy gives up.
     *
     * @throws IOException the last attempt's own
     * @throws IllegalStateException if the request passes a second interceptor or request factory of this library
     */
    @Throws(IOException::class)
    override fun intercept(
        request: HttpRequest,
        body: ByteArray,
        execution: ClientHttpRequestExecution,
    ): ClientHttpResponse {
        AttemptRequest.checkOutside(request.attributes)
        val call = retries.callOf(request.method, request.uri, request.headers, request.attributes)
        return object : RestExchange(retries, call, request.method, request.uri) {
            override fun send(marks: Map<String, String>) = execution.execute(AttemptRequest(request, marks), body)
        }.execute()
    }

    public companion object {
        /** How [response] came about; one successful attempt if it came without this interceptor, or wrapped in another response. */
        @JvmStatic
        public fun reportOf(response: ClientHttpResponse): RetryReport =
            (response as? RetriedResponse)?.report ?: RetryReport.FIRST_TRY
    }
}
