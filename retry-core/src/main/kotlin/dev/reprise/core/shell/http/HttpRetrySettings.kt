package dev.reprise.core.shell.http

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi

/** The settings that the builders of all HTTP clients have, where [B] is the builder. Not thread-safe. */
public abstract class HttpRetrySettings<B : HttpRetrySettings<B>> @ShellApi protected constructor() {
    private val listeners = mutableListOf<RetryListener>()
    private var policy = RetryPolicy.HTTP
    private var maxHosts = 256
    private var idempotencyKeys = HttpRepeats.IDEMPOTENCY_KEYS
    private var amzHeaders = false
    private var numberRetries = true
    private var meshRetries = true

    /** Sets how to retry; each host and port has a quota of its own, and a send rate if the policy has one. */
    public fun policy(policy: RetryPolicy): B = set { this.policy = policy }

    /** Adds a listener to the retriers that [policy] makes. It sees responses as `HttpOutcome`. */
    public fun listener(listener: RetryListener): B = set { listeners += listener }

    /** Sets for how many hosts a retrier is kept, at least 1; the least recently used goes. 256 by default. */
    public fun maxHosts(maxHosts: Int): B = set {
        require(maxHosts >= 1) { "maxHosts must be at least 1: $maxHosts" }
        this.maxHosts = maxHosts
    }

    /** Sets the headers that make a request repeatable whatever its method. */
    public fun idempotencyKeys(names: Set<String>): B = set { idempotencyKeys = names.toSet() }

    /**
     * Sets whether every attempt carries `amz-sdk-invocation-id`, the same in all attempts, and `amz-sdk-request`,
     * its number and how many there may be. Off by default.
     */
    public fun amzHeaders(isOn: Boolean): B = set { amzHeaders = isOn }

    /**
     * Sets whether retries carry their number, as `amz-sdk-request: attempt=2`, so that a server does not retry further what it
     * calls for them. On by default; a number that the request brings is left alone.
     */
    public fun numberRetries(isOn: Boolean): B = set { numberRetries = isOn }

    /** Sets whether a sidecar may repeat requests, as its routes say. On by default; off sends `x-envoy-max-retries: 0`. */
    public fun meshRetries(isOn: Boolean): B = set { meshRetries = isOn }

    /** The rule for repeating, as set. */
    @ShellApi
    protected fun repeats(): RepeatRule = RepeatRule(idempotencyKeys)

    /** The headers of attempts, as set. */
    @ShellApi
    protected fun headers(): AttemptHeaders.Settings = AttemptHeaders.Settings(amzHeaders, numberRetries, meshRetries)

    /** The retriers of the policy, one for each key, as [make] makes them. */
    @ShellApi
    protected fun <R : Any> byHost(make: HostRetrier<R>): RetrierCache<String, R> {
        val policy = policy
        val listeners = listeners.toList()
        return RetrierCache(maxHosts) { make.of(it, policy, listeners) }
    }

    /**
     * Refuses a policy and listeners beside retriers that the user [brought], which would not have them.
     *
     * @throws IllegalArgumentException if one was set
     */
    @ShellApi
    protected fun requireAlone(brought: String = "retriers"): Unit =
        HttpRetriers.requireAlone(policy, listeners, brought)

    /** Makes the retrier of a host. */
    @ShellApi
    public fun interface HostRetrier<R : Any> {
        /** A retrier by the name of [host]. */
        public fun of(host: String, policy: RetryPolicy, listeners: List<RetryListener>): R
    }

    @Suppress("UNCHECKED_CAST")
    private inline fun set(change: () -> Unit): B {
        change()
        return this as B
    }
}
