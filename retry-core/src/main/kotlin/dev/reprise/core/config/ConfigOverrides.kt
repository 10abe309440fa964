package dev.reprise.core.config

/** What the code itself says, before any other source is asked; `null` leaves a setting to the others. Immutable. */
public class ConfigOverrides
@JvmOverloads
constructor(
    /** The retry mode. */
    public val retryMode: RetryMode? = null,
    /** The most attempts of a call, the first among them; at least 1. */
    public val maxAttempts: Int? = null,
    /** The profile in the configuration file; it must be there if a setting is looked for in it. */
    public val profile: String? = null,
    /** The path of the configuration file; it must be there if a setting is looked for in it. */
    public val configFile: String? = null,
    /**
     * Whether the switch of the AWS SDKs between 2.0 and 2.1 is obeyed (`AWS_NEW_RETRIES_2026`). Most SDKs have removed
     * it, so it is off.
     */
    public val sdkSwitch: Boolean = false,
) {
    init {
        require(maxAttempts == null || maxAttempts >= 1) { "maxAttempts must be at least 1: $maxAttempts" }
    }

    override fun toString(): String =
        "overrides(retryMode $retryMode, maxAttempts $maxAttempts, profile $profile, configFile $configFile)"

    public companion object {
        /** Nothing. */
        @JvmField
        public val NONE: ConfigOverrides = ConfigOverrides()
    }
}
