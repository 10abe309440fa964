package dev.reprise.opentelemetry

import io.opentelemetry.api.common.AttributeKey

/**
 * The names in spans. Names from OpenTelemetry's semantic conventions are used where they exist (HTTP spans, and
 * `error.type`); the others begin with `reprise`. Durations are in seconds, as in the conventions.
 */
internal object SpanNames {
    /** The name of the tracer and of the meter. */
    const val SCOPE: String = "dev.reprise"

    /** Span: a call whose operation has no name. */
    const val CALL: String = "call"

    /** Span: one attempt. */
    const val ATTEMPT: String = "attempt"

    /** Event of a call: an attempt had to wait for a send permit. */
    const val PERMIT_WAITED: String = "reprise.permit.waited"

    /** Event of a call: another attempt follows, after a wait. */
    const val RETRY_SCHEDULED: String = "reprise.retry.scheduled"

    /** Event of a call: the quota had too few tokens for a retry. */
    const val QUOTA_REFUSED: String = "reprise.quota.refused"

    /** Event of a call: a copy of its slow first attempt begins. */
    const val HEDGE_STARTED: String = "reprise.hedge.started"

    /** Event of a call: the copy won. */
    const val HEDGE_WON: String = "reprise.hedge.won"

    /** Event of a call: its slow first attempt got no copy. */
    const val HEDGE_REFUSED: String = "reprise.hedge.refused"

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
