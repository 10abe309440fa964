package dev.reprise.apachehttp

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.HostKey
import dev.reprise.core.shell.http.HttpRetrySettings
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import org.apache.hc.core5.http.HttpHost
import org.apache.hc.core5.http.HttpRequest

/** Builds [ApacheRetries]. Not thread-safe. */
public class ApacheRetriesBuilder internal constructor() : HttpRetrySettings<ApacheRetriesBuilder>() {
    /** Says whose call a request is. */
    public fun interface RetrierOf {
        /** The retrier of [request] to [target]. */
        public fun of(request: HttpRequest, target: HttpHost): JavaRetrier
    }

    private var retriers: RetrierOf? = null
    private var errorBodyBytes = 0

    /**
     * Sets the function that picks a request's retrier, which has its own policy and listeners. Default: one per host
     * and port.
     */
    public fun retriers(retriers: RetrierOf): ApacheRetriesBuilder = apply { this.retriers = retriers }

    /**
     * Sets how many bytes of a failure's body are read before it is judged: for the service's error code, JSON or XML,
     * if no header has it, and for your own classifiers, which find them in [ApacheOutcome]. Not negative. None by
     * default; at least 64 KiB if the policy has rules about messages or checksums. Reading takes a second at most, and
     * never longer than the attempt may. The caller can still read the whole body.
     */
    public fun errorBodyBytes(bytes: Int): ApacheRetriesBuilder = apply { errorBodyBytes = BodyPeek.checkBytes(bytes) }

    /**
     * The retries.
     *
     * @throws IllegalArgumentException if [retriers] were set, and a [policy] or a [listener] that they would not have
     */
    public fun build(): ApacheRetries {
        val rules = HttpFaces(repeats(), headers(), errorBodyBytes) { it }
        return ApacheRetries(retriers?.also { requireAlone() } ?: ofHosts(), rules)
    }

    private fun ofHosts(): RetrierOf {
        val hosts = byHost(HttpFaces::ofHost)
        return RetrierOf { _, target -> hosts[HostKey.of(target.schemeName, target.hostName, target.port)] }
    }
}
