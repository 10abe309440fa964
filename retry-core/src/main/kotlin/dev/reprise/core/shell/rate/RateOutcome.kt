package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule

/** The outcome of an attempt as evidence of the server's capacity. */
public enum class RateOutcome {
    /** The request was accepted: evidence of capacity. */
    ACCEPTED,

    /**
     * The request failed for a reason other than its rate: no evidence. [GrowthRule.STEADY] holds the rate until the
     * next outcome that is evidence; [GrowthRule.CUBIC] takes it for [ACCEPTED], as the SDKs do.
     */
    FAILED,

    /** The server refused the request because there were too many. */
    THROTTLED,
}
