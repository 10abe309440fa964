package dev.reprise.okhttp

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.HostKey
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.HttpRetriers
import dev.reprise.java.JavaRetrier
import okhttp3.Request

/** Builds [OkHttpRetries]. Not thread-safe. */
public class OkHttpRetriesBuilder internal constructor() {
    /** Says whose call a request is. */
    public fun interface RetrierOf {
        /** The retrier of [request]. */
        public fun of(request: Request): JavaRetrier
    }

    private val listeners = mutableListOf<RetryListener>()
    private var policy = RetryPolicy.HTTP
    private var retriers: RetrierOf? = null
    private var maxHosts = MAX_HOSTS
    private var idempotencyKeys = HttpRepeats.IDEMPOTENCY_KEYS
    private var amzHeaders = false
    private var numberRetries = true
    private var meshRetries = true
    private var errorBodyBytes = 0

    /** Sets how to retry; each host and port has a quota of its own, and a send rate if the policy has one. */
    public fun policy(policy: RetryPolicy): OkHttpRetriesBuilder = apply { this.policy = policy }

    /** Adds a listener. It sees responses as [OkHttpOutcome]. */
    public fun listener(listener: RetryListener): OkHttpRetriesBuilder = apply { listeners += listener }

    /** Sets for how many hosts a retrier is kept, at least 1; the least recently used goes. 256 by default. */
    public fun maxHosts(maxHosts: Int): OkHttpRetriesBuilder = apply {
        require(maxHosts >= 1) { "maxHosts must be at least 1: $maxHosts" }
        this.maxHosts = maxHosts
    }

    /**
     * Sets the function that picks a request's retrier, which has its own policy and listeners. Default: one per host
     * and port.
     */
    public fun retriers(retriers: RetrierOf): OkHttpRetriesBuilder = apply { this.retriers = retriers }

    /** Sets the headers that make a request repeatable whatever its method. */
    public fun idempotencyKeys(names: Set<String>): OkHttpRetriesBuilder = apply { idempotencyKeys = names.toSet() }

    /**
     * Sets whether every attempt carries `amz-sdk-invocation-id`, the same in all attempts, and `amz-sdk-request`,
     * its number and how many there may be. Off by default.
     */
    public fun amzHeaders(isOn: Boolean): OkHttpRetriesBuilder = apply { amzHeaders = isOn }

    /**
     * Sets whether retries carry their number, as `amz-sdk-request: attempt=2`, so that a server does not retry further what it
     * calls for them. On by default; a number that the request brings is left alone.
     */
    public fun numberRetries(isOn: Boolean): OkHttpRetriesBuilder = apply { numberRetries = isOn }

    /** Sets whether a sidecar may repeat requests, as its routes say. On by default; off sends `x-envoy-max-retries: 0`. */
    public fun meshRetries(isOn: Boolean): OkHttpRetriesBuilder = apply { meshRetries = isOn }

    /**
     * Sets how many bytes of a failure's body are read before it is judged: for the service's error code, JSON or XML,
     * if no header has it, and for your own classifiers, which find them in [OkHttpOutcome]. Not negative. None by
     * default; at least 64 KiB if the policy has rules about messages or checksums. The caller can still read the whole
     * body. Waits about a second while bytes trickle in; if none come, for the client's read timeout or ten seconds,
     * and never beyond the attempt's limit.
     */
    public fun errorBodyBytes(bytes: Int): OkHttpRetriesBuilder = apply {
        errorBodyBytes = BodyPeek.checkBytes(bytes)
    }

    /**
     * The retries.
     *
     * @throws IllegalArgumentException if [retriers] were set, and a [policy] or a [listener] that they would not have
     */
    public fun build(): OkHttpRetries = OkHttpRetries(
        retriers?.also { HttpRetriers.requireAlone(policy, listeners) } ?: byHost(),
        idempotencyKeys,
        AttemptHeaders.Settings(amzHeaders, numberRetries, meshRetries),
        errorBodyBytes,
    )

    private fun byHost(): RetrierOf {
        val policy = policy
        val listeners = listeners.toList()
        val hosts = RetrierCache<String, JavaRetrier>(maxHosts) { host ->
            JavaRetrier.builder(policy).name(host).listeners(listeners).build()
        }
        return RetrierOf { hosts[HostKey.of(it.url.scheme, it.url.host, it.url.port)] }
    }

    private companion object {
        const val MAX_HOSTS = 256
    }
}
