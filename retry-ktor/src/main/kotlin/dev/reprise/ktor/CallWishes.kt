package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.util.AttributeKey

/** What a request wants for itself. Confined to the request. */
internal class CallWishes {
    var policy: ((RetryPolicy) -> RetryPolicy)? = null
    var isIdempotent = false
    var isReplayable = false
    var options: CallOptions? = null

    companion object {
        val KEY: AttributeKey<CallWishes> = AttributeKey("RepriseCall")
    }
}

private val HttpRequestBuilder.wishes: CallWishes get() = attributes.computeIfAbsent(CallWishes.KEY) { CallWishes() }

/** Retries this request by the installed policy with [changes]; quota and send rate stay those of its key. */
public fun HttpRequestBuilder.retry(changes: RetryPolicyBuilder.() -> Unit) {
    wishes.policy = { it.with(changes) }
}

/** Retries this request by [policy] instead of the installed one; quota and send rate stay those of its key. */
public fun HttpRequestBuilder.retry(policy: RetryPolicy) {
    wishes.policy = { policy }
}

/** Sends this request once. */
public fun HttpRequestBuilder.noRetry() {
    retry { maxAttempts = 1 }
}

/** Says that doing this request more than once does no harm, whatever its method. */
public fun HttpRequestBuilder.idempotent() {
    wishes.isIdempotent = true
}

/** Says that the body of this request can be sent again though it is of a kind that the plugin does not know. */
public fun HttpRequestBuilder.replayable() {
    wishes.isReplayable = true
}

/**
 * Names this request's operation for listeners, says whether it is a long poll and whether it may be repeated. A body that
 * can be sent only once is not repeated all the same.
 */
public fun HttpRequestBuilder.callOptions(options: CallOptions) {
    wishes.options = options
}
