package dev.reprise.core

import dev.reprise.core.shell.rate.RateHint

/** How [SendRateSettings.STEADY] uses a server's statements about its rate limit ([RateHint]). */
public enum class ServerHints(
    /** The name in policy documents. */
    internal val word: String,
) {
    /** Nothing. */
    OFF("off"),

    /** Never sends faster than the remaining requests allow; throttles still cut. */
    CAP("cap"),

    /** Sends exactly as fast as the remaining requests allow, even if throttles had led to a lower rate. */
    FOLLOW("follow"),
}
