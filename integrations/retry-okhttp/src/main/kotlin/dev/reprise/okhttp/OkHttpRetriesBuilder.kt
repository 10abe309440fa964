package dev.reprise.okhttp

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.HostKey
import dev.reprise.core.shell.http.HttpRetrySettings
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import okhttp3.Request

/** Builds [OkHttpRetries]. Not thread-safe. */
public class OkHttpRetriesBuilder internal constructor() : HttpRetrySettings<OkHttpRetriesBuilder>() {
    /** Says whose call a request is. */
    public fun interface RetrierOf {
        /** The retrier of [request]. */
        public fun of(request: Request): JavaRetrier
    }

    private var retriers: RetrierOf? = null
    private var errorBodyBytes = 0

    /**
     * Sets the function that picks a request's retrier, which has its own policy and listeners. Default: one per host
     * and port.
     */
    public fun retriers(retriers: RetrierOf): OkHttpRetriesBuilder = apply { this.retriers = retriers }

    /**
     * Sets how many bytes of a failure's body are read before it is judged: for the service's error code, JSON or XML,
     * if no header has it, and for your own classifiers, which find them in [OkHttpOutcome]. Not negative. None by
     * default; at least 64 KiB if the policy has rules about messages or checksums. The caller can still read the whole
     * body. Waits about a second while bytes trickle in; if none come, for the client's read timeout or ten seconds,
     * and never beyond the attempt's limit.
     */
    public fun errorBodyBytes(bytes: Int): OkHttpRetriesBuilder = apply { errorBodyBytes = BodyPeek.checkBytes(bytes) }

    /**
     * The retries.
     *
     * @throws IllegalArgumentException if [retriers] were set, and a [policy] or a [listener] that they would not have
     */
    public fun build(): OkHttpRetries {
        val rules = HttpFaces(repeats(), headers(), errorBodyBytes, ::WithOwnRepeats)
        return OkHttpRetries(retriers?.also { requireAlone() } ?: ofHosts(), rules)
    }

    private fun ofHosts(): RetrierOf {
        val hosts = byHost(HttpFaces::ofHost)
        return RetrierOf { hosts[HostKey.of(it.url.scheme, it.url.host, it.url.port)] }
    }
}
