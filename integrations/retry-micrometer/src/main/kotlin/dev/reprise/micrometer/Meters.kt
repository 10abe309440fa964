package dev.reprise.micrometer

/** The names of the meters and their tags, in Micrometer's form; `docs/observability.md` has the table. */
internal object Meters {
    /** Counter: calls that ended, by [OUTCOME] and [RETRIED]. */
    const val CALLS: String = "reprise.calls"

    /** Summary: attempts of each call that ended. */
    const val CALL_ATTEMPTS: String = "reprise.call.attempts"

    /** Counter: calls that gave up, by [REASON]. */
    const val GIVE_UPS: String = "reprise.give.ups"

    /** Counter: retries that were scheduled, by the failure's [KIND]. */
    const val RETRIES: String = "reprise.retries"

    /** Timer: waits before retries. */
    const val RETRY_DELAY: String = "reprise.retry.delay"

    /** Counter: retries whose wait is shorter than the server asked for. */
    const val CLAMPED: String = "reprise.server.delay.clamped"

    /** Timer: waits for a send permit, of attempts that had to wait. */
    const val PERMIT_WAIT: String = "reprise.permit.wait"

    /** Counter: retries that an operation's own share of the quota refused, while the client had tokens enough. */
    const val QUOTA_SHARE_REFUSED: String = "reprise.quota.share.refused"

    /** Counter: copies of slow attempts, by [RESULT]. */
    const val HEDGES: String = "reprise.hedges"

    /** Gauge: tokens in the retry quota. */
    const val QUOTA_AVAILABLE: String = "reprise.quota.available"

    /** Gauge: tokens of a full retry quota. */
    const val QUOTA_CAPACITY: String = "reprise.quota.capacity"

    /** Gauge: permitted attempts a second; not a number while they are not limited. */
    const val SEND_RATE: String = "reprise.send.rate"

    /** Gauge: measured answers a second. */
    const val MEASURED_RATE: String = "reprise.measured.rate"

    /** Counter: requests that a server got, by [ATTEMPT]; see [InboundMetrics]. */
    const val INBOUND_ATTEMPTS: String = "reprise.inbound.attempts"

    /** Tag: the number of the caller's attempt, `1` to `4`, or `5+`. */
    const val ATTEMPT: String = "attempt"

    /** Tag: the client's name. */
    const val CLIENT: String = "client"

    /** Tag: the operation's name, if operations have meters of their own. */
    const val OPERATION: String = "operation"

    /** Tag: `success`, `failure` or `cancelled`. */
    const val OUTCOME: String = "outcome"

    /** Tag: `true` if the call made more than one attempt. */
    const val RETRIED: String = "retried"

    /** Tag: the word of a [StopReason][dev.reprise.core.StopReason]. */
    const val REASON: String = "reason"

    /** Tag: `started`, `won`, or the word of a [HedgeRefusal][dev.reprise.core.HedgeRefusal]. */
    const val RESULT: String = "result"

    /** Tag: `transient`, `timeout` or `throttling`. */
    const val KIND: String = "kind"
}
