package dev.reprise.spring.http

import dev.reprise.core.shell.http.HttpRetrySettings
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import dev.reprise.spring.RetryRegistry
import org.springframework.http.HttpMethod
import java.net.URI

/** Builds [HttpRetries]. Not thread-safe. */
public class HttpRetriesBuilder internal constructor() : HttpRetrySettings<HttpRetriesBuilder>() {
    /** Says whose call a request is. */
    public fun interface RetrierOf {
        /** The retrier of a request with this [method] to this [uri]. */
        public fun of(method: HttpMethod, uri: URI): JavaRetrier
    }

    private var retriers: RetrierOf? = null
    private var followsRedirects = true
    private var heldBytes = 1 shl 20

    /** Retries by the policy called [name] in [registry], with a retrier for each host and port, and follows its updates. */
    public fun registry(registry: RetryRegistry, name: String): HttpRetriesBuilder {
        registry.policy(name)
        return retriers { _, uri -> registry.forHost(name, Hosts.keyOf(uri)) }
    }

    /** Sets the function that picks a request's retrier. Default: one for each host and port. */
    public fun retriers(retriers: RetrierOf): HttpRetriesBuilder = apply { this.retriers = retriers }

    /**
     * Sets whether the client below may follow redirects; true by default. If it follows none, a refused connection proves that
     * nothing was sent, and a `POST` is repeated after one. If it does, the connection could be the second hop's.
     */
    public fun followsRedirects(follows: Boolean): HttpRetriesBuilder = apply { followsRedirects = follows }

    /**
     * Sets how many bytes of a good response are read within the attempt, so that a body that breaks off is retried: 1 MiB by
     * default, 0 for none. Read are bodies of a known length up to this; of unknown length JSON, XML, text and those without
     * a type, the rest of which follows as a stream. Streams of events are never read ahead. Of a failure as much is read, and
     * 64 KiB at least: for the service's error code and message, and for classifiers of your own. A failure is read for a second.
     * A good response that the policy rejects by its head is not read. The caller still gets the whole body.
     */
    public fun heldBytes(bytes: Int): HttpRetriesBuilder = apply {
        require(bytes >= 0) { "heldBytes must not be negative: $bytes" }
        heldBytes = bytes
    }

    /**
     * The retries.
     *
     * @throws IllegalArgumentException if [retriers] or a [registry] were set, and a [policy] or a [listener] that these would not
     *   have
     */
    public fun build(): HttpRetries {
        val retriers = retriers?.also { requireAlone("retriers or a registry") } ?: ofHosts()
        return HttpRetries(retriers, HttpFaces(repeats(), headers(), 0) { it }, followsRedirects, heldBytes)
    }

    private fun ofHosts(): RetrierOf {
        val hosts = byHost(HttpFaces::ofHost)
        return RetrierOf { _, uri -> hosts[Hosts.keyOf(uri)] }
    }
}
