package dev.reprise.presets.config

/**
 * Settings from the code, which precede all other sources; `null` leaves a setting to the others. Made by
 * `ConfigOverrides { }` in Kotlin and [builder] in Java. Immutable; compares by value.
 */
public class ConfigOverrides private constructor(builder: Builder) {
    /** The retry mode. */
    public val retryMode: RetryMode? = builder.retryMode

    /** The most attempts of a call, the first among them; at least 1. */
    public val maxAttempts: Int? = builder.maxAttempts

    /** The profile in the configuration file; it must be there if a setting is looked for in it. */
    public val profile: String? = builder.profile

    /** The path of the configuration file; it must be there if a setting is looked for in it. */
    public val configFile: String? = builder.configFile

    /**
     * Whether the switch of the AWS SDKs between 2.0 and 2.1 is obeyed (`AWS_NEW_RETRIES_2026`). Most SDKs have removed
     * it, so it is off.
     */
    public val sdkSwitch: Boolean = builder.sdkSwitch

    init {
        require(maxAttempts == null || maxAttempts >= 1) { "maxAttempts must be at least 1: $maxAttempts" }
    }

    /** A builder that starts from these overrides. */
    public fun toBuilder(): Builder = Builder(this)

    /** These overrides with [changes]. */
    @JvmSynthetic
    public fun with(changes: Builder.() -> Unit): ConfigOverrides = toBuilder().apply(changes).build()

    override fun equals(other: Any?): Boolean = other is ConfigOverrides && members() == other.members()

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String = "overrides(retryMode $retryMode, maxAttempts $maxAttempts, profile $profile, " +
        "configFile $configFile${if (sdkSwitch) ", obeys the SDKs' switch" else ""})"

    private fun members(): List<Any?> = listOf(retryMode, maxAttempts, profile, configFile, sdkSwitch)

    /** Builds [ConfigOverrides]. Not thread-safe. */
    public class Builder internal constructor(from: ConfigOverrides? = null) {
        internal var retryMode: RetryMode? = from?.retryMode

        internal var maxAttempts: Int? = from?.maxAttempts

        internal var profile: String? = from?.profile

        internal var configFile: String? = from?.configFile

        internal var sdkSwitch: Boolean = from?.sdkSwitch ?: false

        /** Sets the retry mode; `null` leaves it to the other sources. */
        public fun retryMode(mode: RetryMode?): Builder = apply { retryMode = mode }

        /** Sets the most attempts of a call, at least 1; `null` leaves them to the other sources. */
        public fun maxAttempts(attempts: Int?): Builder = apply { maxAttempts = attempts }

        /** Sets the profile in the configuration file; `null` leaves it to the other sources. */
        public fun profile(profile: String?): Builder = apply { this.profile = profile }

        /** Sets the path of the configuration file; `null` leaves it to the other sources. */
        public fun configFile(path: String?): Builder = apply { configFile = path }

        /** Sets whether the switch of the AWS SDKs between 2.0 and 2.1 is obeyed. */
        public fun sdkSwitch(isObeyed: Boolean): Builder = apply { sdkSwitch = isObeyed }

        /**
         * Returns the overrides.
         *
         * @throws IllegalArgumentException if the attempts are fewer than 1
         */
        public fun build(): ConfigOverrides = ConfigOverrides(this)
    }

    public companion object {
        /** Nothing. */
        @JvmField
        public val NONE: ConfigOverrides = Builder().build()

        /** A builder that starts from [NONE]. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /** [NONE] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): ConfigOverrides = Builder().apply(changes).build()
    }
}
