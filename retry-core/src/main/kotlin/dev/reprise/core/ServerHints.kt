package dev.reprise.core

import dev.reprise.core.shell.rate.RateHint

/** How [SendRateSettings.STEADY] uses a server's statements about its rate limit ([RateHint]). */
public enum class ServerHints {
    /** Nothing. */
    OFF,

    /** Never sends faster than the remaining requests allow; throttles still cut. */
    CAP,

    /** Sends exactly as fast as the remaining requests allow, even if throttles had led to a lower rate. */
    FOLLOW,
}
