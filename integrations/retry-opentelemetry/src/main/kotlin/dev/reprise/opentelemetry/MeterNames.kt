package dev.reprise.opentelemetry

import io.opentelemetry.api.common.AttributeKey

/** The names of the metrics and of the attributes that metrics have. Durations are in seconds. */
internal object MeterNames {
    /** Histogram: attempts of each call that ended, by stop reason and [RETRIED]. Its count is the number of calls. */
    const val CALL_ATTEMPTS: String = "reprise.call.attempts"

    /** Histogram: waits before retries, by kind of failure. Its count is the number of retries. */
    const val RETRY_DELAY: String = "reprise.retry.delay"

    /** Histogram: waits for a send permit, of attempts that had to wait. */
    const val PERMIT_WAIT: String = "reprise.permit.wait"

    /** Counter: retries that an operation's own share of the quota refused, while the client had tokens enough. */
    const val QUOTA_SHARE_REFUSED: String = "reprise.quota.share.refused"

    /** Gauge: tokens in the retry quota. */
    const val QUOTA_AVAILABLE: String = "reprise.quota.available"

    /** Gauge: tokens of a full retry quota. */
    const val QUOTA_CAPACITY: String = "reprise.quota.capacity"

    /** The client's name; on a call's span, the retrier's. */
    val CLIENT: AttributeKey<String> = AttributeKey.stringKey("reprise.client")

    /** Whether the call made more than one attempt. */
    val RETRIED: AttributeKey<Boolean> = AttributeKey.booleanKey("reprise.retried")
}
