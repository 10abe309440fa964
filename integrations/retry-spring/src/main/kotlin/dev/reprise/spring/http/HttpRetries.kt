package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import dev.reprise.spring.RetryRegistry
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import java.net.URI

/**
 * Settings for the retries of Spring's HTTP clients: the retrier of each request, the rules for repeating, the bytes of
 * a response to read within the attempt. One object can serve any number of clients, which then share quota and send
 * rate.
 *
 * Immutable, and safe for any number of threads.
 */
public class HttpRetries internal constructor(
    private val retriers: HttpRetriesBuilder.RetrierOf,
    private val rules: HttpFaces,
    private val followsRedirects: Boolean,
    private val heldBytes: Int,
) {
    init {
        MarkCarriers.add(CarriedTraces)
    }

    /** How many bytes of a good response to a request of [call] are read before the attempt has succeeded. */
    internal fun goodBytes(call: HttpCall<JavaRetrier>): Int = maxOf(heldBytes, call.peek.bytesOf(200))

    /**
     * The call of a request, whose body can be sent once if it [isOneShot]. [seesOpening] is true if the client knows whether the
     * body was opened: then it believes a failure that proves that nothing was sent. Else that holds only where no redirects are
     * followed, since the failure could be a later hop's.
     */
    internal fun callOf(
        method: HttpMethod,
        uri: URI,
        headers: HttpHeaders,
        attributes: Map<String, Any?>,
        isOneShot: Boolean = false,
        seesOpening: Boolean = false,
    ): HttpCall<JavaRetrier> {
        val own = attributes[RetryAttributes.NAME] as CallOptions?
        val isUnproven = followsRedirects && !seesOpening
        return rules.call(retriers.of(method, uri), own, method.name(), isOneShot, isUnproven, headers::containsHeader)
    }

    public companion object {
        /** Retries by [RetryPolicy.HTTP], with a quota for each host and port. */
        @JvmStatic
        public fun standard(): HttpRetries = builder().build()

        /** All requests are [retrier]'s: one quota and one send rate for all of them. */
        @JvmStatic
        public fun of(retrier: JavaRetrier): HttpRetries = builder().retriers { _, _ -> retrier }.build()

        /** Retries by the policy called [name] in [registry], with a quota for each host and port. */
        @JvmStatic
        public fun of(registry: RetryRegistry, name: String): HttpRetries = builder().registry(registry, name).build()

        /** A builder. */
        @JvmStatic
        public fun builder(): HttpRetriesBuilder = HttpRetriesBuilder()
    }
}
