package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.util.AttributeKey

/**
 * A request's settings from `retryPolicy`, `noRetry` and the like. Immutable: builders that are made of one another share it.
 */
internal data class RequestOverrides(
    val policy: ((RetryPolicy) -> RetryPolicy)? = null,
    val isOnce: Boolean = false,
    val isIdempotent: Boolean = false,
    val isReplayable: Boolean = false,
    val options: CallOptions? = null,
) {
    /** Whether this request has another policy than its key. */
    val changesPolicy: Boolean get() = policy != null || isOnce

    /**
     * The policy of this request, changed from [shared]. `noRetry` overrides all other settings, earlier and later
     * ones.
     */
    fun policyFrom(shared: RetryPolicy): RetryPolicy {
        val own = policy?.invoke(shared) ?: shared
        if (!isOnce) return own
        return own.with {
            maxAttempts = 1
            hedge = null
        }
    }

    companion object {
        val KEY: AttributeKey<RequestOverrides> = AttributeKey("RepriseCall")
    }
}

private inline fun HttpRequestBuilder.override(change: RequestOverrides.() -> RequestOverrides) {
    val known = attributes.getOrNull(RequestOverrides.KEY) ?: RequestOverrides()
    attributes.put(RequestOverrides.KEY, known.change())
}

/**
 * Retries this request by the installed policy with [changes]; it keeps the quota and send rate of its key, whatever
 * settings it names for them. Does not undo [noRetry].
 */
public fun HttpRequestBuilder.retryPolicy(changes: RetryPolicyBuilder.() -> Unit) {
    override { copy(policy = { it.with(changes) }) }
}

/**
 * Retries this request by [policy] instead of the installed one; it keeps the quota and send rate of its key, whatever
 * settings it names for them. Does not undo [noRetry].
 */
public fun HttpRequestBuilder.retryPolicy(policy: RetryPolicy) {
    override { copy(policy = { policy }) }
}

/** Sends this request once. Overrides every policy. */
public fun HttpRequestBuilder.noRetry() {
    override { copy(isOnce = true) }
}

/** Declares that repeating this request does no harm, with any method. */
public fun HttpRequestBuilder.idempotent() {
    override { copy(isIdempotent = true) }
}

/** Says that the body of this request can be sent again though it is of a kind that the plugin does not know. */
public fun HttpRequestBuilder.replayable() {
    override { copy(isReplayable = true) }
}

/**
 * Names this request's operation for listeners, says how long it may take, whether it is a long poll and whether it may be
 * repeated. Method, idempotency key and [idempotent] decide that if [options] do not. A body that can be sent only once is
 * still not repeated.
 */
public fun HttpRequestBuilder.callOptions(options: CallOptions) {
    override { copy(options = options) }
}
