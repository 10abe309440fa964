package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpRequest
import org.springframework.http.client.ClientHttpRequestFactory
import java.net.URI

/**
 * Retries the requests of a RestClient or RestTemplate whose bodies are streamed: nothing is kept in memory. A body is sent again
 * only if its converter says that it is repeatable, as it is for texts, objects and files, and not for an `InputStreamResource`.
 *
 * ```kotlin
 * val client = RestClient.builder().requestFactory(RetryingRequestFactory(JdkClientHttpRequestFactory())).build()
 * ```
 *
 * All interceptors stand outside, and see the call once. All else is as for [RetryInterceptor]. Thread-safe.
 */
public class RetryingRequestFactory(private val below: ClientHttpRequestFactory, private val retries: HttpRetries) :
    ClientHttpRequestFactory {
    /** Retries the requests of [below] by [RetryPolicy.HTTP], with a quota for each host and port. */
    public constructor(below: ClientHttpRequestFactory) : this(below, HttpRetries.standard())

    /** All requests are [retrier]'s: one quota and one send rate for all hosts. */
    public constructor(below: ClientHttpRequestFactory, retrier: JavaRetrier) : this(below, HttpRetries.of(retrier))

    init {
        CuttableRequests.of(below)
    }

    override fun createRequest(uri: URI, httpMethod: HttpMethod): ClientHttpRequest =
        RetryingRequest(below, retries, uri, httpMethod)
}
