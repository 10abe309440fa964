package dev.reprise.opentelemetry

import io.opentelemetry.api.common.AttributeKey

/**
 * The attributes of spans and measurements. Names from OpenTelemetry's semantic conventions are used where they exist (HTTP
 * spans, and `error.type`); the others begin with `reprise`. Durations are in seconds, as in the conventions.
 */
internal object Keys {
    /** The client's name; on a call's span, the retrier's. */
    val CLIENT: AttributeKey<String> = AttributeKey.stringKey("reprise.client")

    /** Measurement: whether the call made more than one attempt. */
    val RETRIED: AttributeKey<Boolean> = AttributeKey.booleanKey("reprise.retried")

    /** Attempt: its number, from 1. */
    val ATTEMPT_NUMBER: AttributeKey<Long> = AttributeKey.longKey("reprise.attempt.number")

    /** Attempt: the kind of failure if it can be retried: `transient`, `timeout` or `throttling`. */
    val FAILURE_KIND: AttributeKey<String> = AttributeKey.stringKey("reprise.failure.kind")

    /** Call: how many attempts were made. */
    val ATTEMPTS: AttributeKey<Long> = AttributeKey.longKey("reprise.attempts")

    /** Call: the word of a [StopReason][dev.reprise.core.StopReason]. */
    val STOP_REASON: AttributeKey<String> = AttributeKey.stringKey("reprise.stop.reason")

    /** Call of an HTTP client: the request's method, or `_OTHER` for one that the conventions do not know. */
    val HTTP_METHOD: AttributeKey<String> = AttributeKey.stringKey("http.request.method")

    /** Call of an HTTP client: the request's host. */
    val SERVER_ADDRESS: AttributeKey<String> = AttributeKey.stringKey("server.address")

    /** Event: the wait, in seconds. */
    val DELAY: AttributeKey<Double> = AttributeKey.doubleKey("reprise.delay")

    /** Event: the part of the wait that is backoff after jitter, in seconds. */
    val BACKOFF: AttributeKey<Double> = AttributeKey.doubleKey("reprise.backoff")

    /** Event: the delay that the server asked for, in seconds. */
    val SERVER_DELAY: AttributeKey<Double> = AttributeKey.doubleKey("reprise.server.delay")

    /** Event: the word of a [HedgeRefusal][dev.reprise.core.HedgeRefusal]. */
    val REASON: AttributeKey<String> = AttributeKey.stringKey("reprise.reason")

    /** Event: the tokens that the quota has. */
    val QUOTA_AVAILABLE: AttributeKey<Long> = AttributeKey.longKey("reprise.quota.available")

    /** Event: the tokens of a full quota, at the moment. */
    val QUOTA_CAPACITY: AttributeKey<Long> = AttributeKey.longKey("reprise.quota.capacity")

    /** Event: whose tokens were too few, `client` or `operation` for its own share. */
    val QUOTA_REFUSED_BY: AttributeKey<String> = AttributeKey.stringKey("reprise.quota.refused.by")

    /** The CLIENT span of a request, by [ResendCount]: how many times it was sent before; absent on the first. */
    val RESEND_COUNT: AttributeKey<Long> = AttributeKey.longKey("http.request.resend_count")

    /** Attempt, HTTP: the status of a response that was not accepted. */
    val STATUS_CODE: AttributeKey<Long> = AttributeKey.longKey("http.response.status_code")

    /** Attempt: the status, or the class of the exception or result. Call: the stop reason. */
    val ERROR_TYPE: AttributeKey<String> = AttributeKey.stringKey("error.type")
}

/** These [nanos] in the unit of the conventions. */
internal fun seconds(nanos: Long): Double = nanos / 1e9
