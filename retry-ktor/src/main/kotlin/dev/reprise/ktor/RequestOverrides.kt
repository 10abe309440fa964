package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.util.AttributeKey

/** A request's settings from `retryPolicy`, `noRetry` and the like. Confined to the request. */
internal class RequestOverrides {
    var policy: ((RetryPolicy) -> RetryPolicy)? = null
    var isOnce = false
    var isIdempotent = false
    var isReplayable = false
    var options: CallOptions? = null

    /** Whether this request has another policy than its key. */
    val changesPolicy: Boolean get() = policy != null || isOnce

    /**
     * The policy of this request, changed from [shared]. `noRetry` overrides all other settings, earlier and later
     * ones.
     */
    fun policyFrom(shared: RetryPolicy): RetryPolicy {
        val own = policy?.invoke(shared) ?: shared
        return if (isOnce) own.with { maxAttempts = 1 } else own
    }

    companion object {
        val KEY: AttributeKey<RequestOverrides> = AttributeKey("RepriseCall")
    }
}

private val HttpRequestBuilder.overrides: RequestOverrides get() = attributes.computeIfAbsent(RequestOverrides.KEY) {
    RequestOverrides()
}

/**
 * Retries this request by the installed policy with [changes]; it keeps the quota and send rate of its key. Does not
 * undo [noRetry].
 */
public fun HttpRequestBuilder.retryPolicy(changes: RetryPolicyBuilder.() -> Unit) {
    overrides.policy = { it.with(changes) }
}

/**
 * Retries this request by [policy] instead of the installed one; it keeps the quota and send rate of its key. Does not
 * undo [noRetry].
 */
public fun HttpRequestBuilder.retryPolicy(policy: RetryPolicy) {
    overrides.policy = { policy }
}

/** Sends this request once. Overrides every policy. */
public fun HttpRequestBuilder.noRetry() {
    overrides.isOnce = true
}

/** Declares that repeating this request does no harm, with any method. */
public fun HttpRequestBuilder.idempotent() {
    overrides.isIdempotent = true
}

/** Says that the body of this request can be sent again though it is of a kind that the plugin does not know. */
public fun HttpRequestBuilder.replayable() {
    overrides.isReplayable = true
}

/**
 * Names this request's operation for listeners, says how long it may take, whether it is a long poll and whether it may be
 * repeated. Method, idempotency key and [idempotent] decide that if [options] do not. A body that can be sent only once is
 * still not repeated.
 */
public fun HttpRequestBuilder.callOptions(options: CallOptions) {
    overrides.options = options
}
