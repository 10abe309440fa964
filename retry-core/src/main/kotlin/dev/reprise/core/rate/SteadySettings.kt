package dev.reprise.core.rate

/**
 * The settings that only [GrowthRule.STEADY] has. Its other constants are no settings: each was found by simulation, together with
 * the others (`docs/research/ablation.md`).
 *
 * An immutable value, made by `SteadySettings { quietSeconds = 60.0 }` in Kotlin and by [builder] in Java.
 */
public class SteadySettings internal constructor(builder: SteadySettingsBuilder) {
    /** The limiter goes off after this many seconds without a throttle, above 0. */
    public val quietSeconds: Double = builder.quietSeconds

    /** How a server's announcements of its limit are used. */
    public val hints: ServerHints = builder.hints

    internal val quietNanos: Long = (quietSeconds * NANOS_PER_SECOND).toLong()

    init {
        require(quietSeconds > 0 && quietSeconds <= LONGEST_QUIET) {
            "quietSeconds must be above 0 and at most $LONGEST_QUIET, was $quietSeconds"
        }
    }

    /** A builder that begins with these settings. */
    public fun toBuilder(): SteadySettingsBuilder = SteadySettingsBuilder(this)

    /**
     * These settings with [changes].
     *
     * @throws IllegalArgumentException naming the setting, the rule and the value, when a value is out of range.
     */
    @JvmSynthetic
    public fun with(changes: SteadySettingsBuilder.() -> Unit): SteadySettings = toBuilder().apply(changes).build()

    override fun equals(other: Any?): Boolean =
        other is SteadySettings && quietSeconds == other.quietSeconds && hints == other.hints

    override fun hashCode(): Int = quietSeconds.hashCode() * 31 + hints.hashCode()

    override fun toString(): String = "SteadySettings(quietSeconds=$quietSeconds, hints=${hints.word})"

    public companion object {
        private const val LONGEST_QUIET = 86_400.0

        /** The settings of [SendRateSettings.STEADY]. */
        @JvmField
        public val DEFAULT: SteadySettings = SteadySettingsBuilder().build()

        /** [DEFAULT] with [changes]; throws as [with] does. */
        @JvmSynthetic
        public operator fun invoke(changes: SteadySettingsBuilder.() -> Unit): SteadySettings = DEFAULT.with(changes)

        /** A builder that begins with [DEFAULT]. */
        @JvmStatic
        public fun builder(): SteadySettingsBuilder = SteadySettingsBuilder()
    }
}
