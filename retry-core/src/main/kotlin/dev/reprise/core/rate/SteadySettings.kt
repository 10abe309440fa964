package dev.reprise.core.rate

import dev.reprise.core.shell.ShellApi

/**
 * The constants of [GrowthRule.STEADY] that no SDK has: how long a recovery takes, when a probe becomes a search, how
 * much is saved up for a burst. They come from simulation (`docs/research/adaptive.md`), except where something else is said.
 *
 * An immutable value, made by `SteadySettings { recoverySeconds = 3.0 }` in Kotlin and by [builder] in Java.
 */
public class SteadySettings internal constructor(builder: SteadySettingsBuilder) {
    /** Seconds from a cut until the rate is back at its top, above 0; longer below [gentleBelow]. */
    public val recoverySeconds: Double = builder.recoverySeconds

    /** Below this rate, in attempts a second, recovery and probe go more slowly; above 0. */
    public val gentleBelow: Double = builder.gentleBelow

    /** Once the server has accepted this many attempts above the top, not negative, */
    public val burstAttempts: Double = builder.burstAttempts

    /** and this many seconds' worth of them, not negative, a probe becomes a search. */
    public val burstSeconds: Double = builder.burstSeconds

    /** A search doubles the rate in so many seconds, above 0. TCP's slow start doubles in a round trip (RFC 5681). */
    public val doublingSeconds: Double = builder.doublingSeconds

    /** One cut leaves the top at least at this part of the rate, above 0 and at most 1. */
    public val deepestCut: Double = builder.deepestCut

    /** Right after a cut so many seconds' worth of permits may be saved up for a burst, from 0 to 1, */
    public val firstBurstSeconds: Double = builder.firstBurstSeconds

    /** and with every second after it so many seconds' worth more, up to one in all as in the SDKs; not negative. */
    public val trustPerSecond: Double = builder.trustPerSecond

    /**
     * A server that accepts nothing for so many seconds after a cut is cut again, above 0. A window of one second
     * refuses for less than one second.
     */
    public val eventSeconds: Double = builder.eventSeconds

    /** Without a throttle for so many seconds the limiter goes off, above 0. */
    public val quietSeconds: Double = builder.quietSeconds

    /** What is done with what a server says about its limit. */
    public val hints: ServerHints = builder.hints

    init {
        requirePositive("recoverySeconds", recoverySeconds)
        requirePositive("gentleBelow", gentleBelow)
        requireNotNegative("burstAttempts", burstAttempts)
        requireNotNegative("burstSeconds", burstSeconds)
        requirePositive("doublingSeconds", doublingSeconds)
        require(deepestCut > 0 && deepestCut <= 1) { "deepestCut must be above 0 and at most 1, was $deepestCut" }
        require(firstBurstSeconds in 0.0..1.0) { "firstBurstSeconds must be from 0 to 1, was $firstBurstSeconds" }
        requireNotNegative("trustPerSecond", trustPerSecond)
        requirePositive("eventSeconds", eventSeconds)
        require(quietSeconds > 0 && quietSeconds <= LONGEST_QUIET) {
            "quietSeconds must be above 0 and at most $LONGEST_QUIET, was $quietSeconds"
        }
    }

    /** A builder that begins with these settings. */
    public fun toBuilder(): SteadySettingsBuilder = SteadySettingsBuilder(this)

    /**
     * These settings with [changes].
     *
     * @throws IllegalArgumentException naming the constant, the rule and the value, when a value is out of range.
     */
    @JvmSynthetic
    public fun with(changes: SteadySettingsBuilder.() -> Unit): SteadySettings = toBuilder().apply(changes).build()

    override fun equals(other: Any?): Boolean =
        this === other || (other is SteadySettings && members() == other.members() && hints == other.hints)

    override fun hashCode(): Int = members().hashCode() * 31 + hints.hashCode()

    override fun toString(): String = members().entries.joinToString(", ", "SteadySettings(", ", hints=${hints.word})")

    /** All numbers by name, as they stand in a policy document. */
    @ShellApi
    public fun members(): Map<String, Double> = linkedMapOf(
        "recoverySeconds" to recoverySeconds,
        "gentleBelow" to gentleBelow,
        "burstAttempts" to burstAttempts,
        "burstSeconds" to burstSeconds,
        "doublingSeconds" to doublingSeconds,
        "deepestCut" to deepestCut,
        "firstBurstSeconds" to firstBurstSeconds,
        "trustPerSecond" to trustPerSecond,
        "eventSeconds" to eventSeconds,
        "quietSeconds" to quietSeconds,
    )

    public companion object {
        private const val LONGEST_QUIET = 86_400.0

        /** What [SendRateSettings.STEADY] uses. */
        @JvmField
        public val DEFAULT: SteadySettings = SteadySettingsBuilder().build()

        /** [DEFAULT] with [changes]; throws as [with] does. */
        @JvmSynthetic
        public operator fun invoke(changes: SteadySettingsBuilder.() -> Unit): SteadySettings = DEFAULT.with(changes)

        /** A builder that begins with [DEFAULT]. */
        @JvmStatic
        public fun builder(): SteadySettingsBuilder = SteadySettingsBuilder()

        private fun requireNotNegative(name: String, value: Double) =
            require(value >= 0 && value.isFinite()) { "$name must not be negative, and finite, was $value" }
    }
}
