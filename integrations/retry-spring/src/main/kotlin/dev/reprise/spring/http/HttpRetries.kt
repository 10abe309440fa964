package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.http.AmzHeaders
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.HttpRetrier
import dev.reprise.core.shell.http.RepeatRule
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
    private val repeats: RepeatRule,
    private val headers: AttemptHeaders.Settings,
    private val followsRedirects: Boolean,
    private val heldBytes: Int,
) {
    init {
        MarkCarriers.add(CarriedTraces)
    }

    private val ready = HttpFaces.retriers(0)

    /** How many bytes of a good response to a request of [retrier] are read before the attempt has succeeded. */
    internal fun goodBytes(retrier: HttpRetrier<*>): Int = maxOf(heldBytes, retrier.peek.bytesOf(OK))

    /** The headers of the attempts of a request with the headers [asked], whose call is [retrier]'s. */
    internal fun headersOf(retrier: HttpRetrier<*>, asked: HttpHeaders): AttemptHeaders =
        headers.ofCall(retrier.policy.maxAttempts, asked.containsHeader(AmzHeaders.REQUEST))

    /** The retrier of a request. */
    @ShellApi
    public fun retrierOf(method: HttpMethod, uri: URI): HttpRetrier<JavaRetrier> = ready.of(retriers.of(method, uri))

    /**
     * The options of a request that [retrier] runs, and whose body can be sent once if it [isOneShot]. [seesOpening] is true
     * if the client knows whether the body was opened: then it believes a failure that proves that nothing was sent. Else that
     * holds only where no redirects are followed, since the failure could be a later hop's.
     */
    @ShellApi
    public fun optionsOf(
        retrier: HttpRetrier<JavaRetrier>,
        method: HttpMethod,
        headers: HttpHeaders,
        attributes: Map<String, Any?>,
        isOneShot: Boolean,
        seesOpening: Boolean,
    ): CallOptions {
        val asked = HttpRepeats.asked(attributes[RetryAttributes.NAME] as CallOptions?, retrier.retrier.options())
        val isUnproven = followsRedirects && !seesOpening
        return repeats.optionsOf(asked, method.name(), isOneShot, isUnproven, headers::containsHeader)
    }

    public companion object {
        private const val OK = 200

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
