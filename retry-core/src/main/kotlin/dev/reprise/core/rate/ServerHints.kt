package dev.reprise.core.rate

/** What [GrowthRule.STEADY] does with what a server says about its rate limit ([RateHint]). */
public enum class ServerHints(
    /** The name in policy documents. */
    public val word: String,
) {
    /** Nothing. */
    OFF("off"),

    /** Never sends faster than what is left allows; throttles still cut. */
    CAP("cap"),

    /** Sends exactly as fast as what is left allows, also where throttles had taught less. */
    FOLLOW("follow"),
}
