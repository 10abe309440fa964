package dev.reprise.spring.http

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.HttpRetriers
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.RetryRegistry
import org.springframework.http.HttpMethod
import java.net.URI

/** Builds [HttpRetries]. Not thread-safe. */
public class HttpRetriesBuilder internal constructor() {
    /** Says whose call a request is. */
    public fun interface RetrierOf {
        /** The retrier of a request with this [method] to this [uri]. */
        public fun of(method: HttpMethod, uri: URI): JavaRetrier
    }

    private val listeners = mutableListOf<RetryListener>()
    private var policy = RetryPolicy.HTTP
    private var retriers: RetrierOf? = null
    internal var idempotencyKeys = HttpRepeats.IDEMPOTENCY_KEYS
        private set
    internal var followsRedirects = true
        private set
    internal var heldBytes = MEBIBYTE
        private set
    private var amzHeaders = false
    private var numberRetries = true
    private var meshRetries = true

    /** Sets how to retry; each host and port has a quota of its own, and a send rate if the policy has one. */
    public fun policy(policy: RetryPolicy): HttpRetriesBuilder = apply { this.policy = policy }

    /** Adds a listener to the retriers that [policy] makes. It sees responses as `HttpOutcome`. */
    public fun listener(listener: RetryListener): HttpRetriesBuilder = apply { listeners += listener }

    /** Retries by the policy called [name] in [registry], with a retrier for each host and port, and follows its updates. */
    public fun registry(registry: RetryRegistry, name: String): HttpRetriesBuilder {
        registry.policy(name)
        return retriers { _, uri -> registry.forHost(name, Hosts.keyOf(uri)) }
    }

    /** Sets the function that picks a request's retrier. Default: one for each host and port. */
    public fun retriers(retriers: RetrierOf): HttpRetriesBuilder = apply { this.retriers = retriers }

    /** Sets the headers that make a request repeatable whatever its method. */
    public fun idempotencyKeys(names: Set<String>): HttpRetriesBuilder = apply { idempotencyKeys = names.toSet() }

    /**
     * Sets whether the client below may follow redirects; true by default. If it follows none, a refused connection proves that
     * nothing was sent, and a `POST` is repeated after one. If it does, the connection could be the second hop's.
     */
    public fun followsRedirects(follows: Boolean): HttpRetriesBuilder = apply { followsRedirects = follows }

    /**
     * Sets how many bytes of a good response are read within the attempt, so that a body that breaks off is retried: 1 MiB by
     * default, 0 for none. Read are bodies of a known length up to this; of unknown length JSON, XML, text and those without
     * a type, the rest of which follows as a stream. Streams of events are never read ahead. Of a failure as much is read, and
     * 64 KiB at least: for the service's error code and message, and for classifiers of your own. WebClient reads a failure for a
     * second at most. The blocking clients look at the clock between reads, each of which may take the client's own read timeout:
     * set one, or an attempt timeout. The caller still gets the whole body.
     */
    public fun heldBytes(bytes: Int): HttpRetriesBuilder = apply {
        require(bytes >= 0) { "heldBytes must not be negative: $bytes" }
        heldBytes = bytes
    }

    /**
     * Sets whether every attempt carries `amz-sdk-invocation-id`, the same in all attempts, and `amz-sdk-request`,
     * its number and how many there may be. Off by default.
     */
    public fun amzHeaders(isOn: Boolean): HttpRetriesBuilder = apply { amzHeaders = isOn }

    /**
     * Sets whether retries carry their number, as `amz-sdk-request: attempt=2`, so that a server does not retry further what it
     * calls for them. On by default; a number that the request brings is left alone.
     */
    public fun numberRetries(isOn: Boolean): HttpRetriesBuilder = apply { numberRetries = isOn }

    /** Sets whether a sidecar may repeat requests, as its routes say. On by default; off sends `x-envoy-max-retries: 0`. */
    public fun meshRetries(isOn: Boolean): HttpRetriesBuilder = apply { meshRetries = isOn }

    /**
     * The retries.
     *
     * @throws IllegalArgumentException if [retriers] or a [registry] were set, and a [policy] or a [listener] that these would not
     *   have
     */
    public fun build(): HttpRetries = HttpRetries(this)

    internal fun headers(): AttemptHeaders.Settings = AttemptHeaders.Settings(amzHeaders, numberRetries, meshRetries)

    internal fun retriers(): RetrierOf =
        retriers?.also { HttpRetriers.requireAlone(policy, listeners, "retriers or a registry") } ?: byHost()

    private fun byHost(): RetrierOf {
        val policy = policy
        val listeners = listeners.toList()
        val hosts = RetrierCache<String, JavaRetrier>(MOST_HOSTS) {
            JavaRetrier.builder(policy).name(it).listeners(listeners).build()
        }
        return RetrierOf { _, uri -> hosts[Hosts.keyOf(uri)] }
    }

    private companion object {
        const val MEBIBYTE = 1 shl 20
        const val MOST_HOSTS = 256
    }
}
