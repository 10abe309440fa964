package dev.reprise.core.rate

/**
 * The constants of [GrowthRule.Steady] that no SDK has: how long a recovery takes, when a probe becomes a search, how much
 * is saved up for a burst. They come from simulation (`docs/adaptive.md`), except where something else is said.
 *
 * An immutable value.
 *
 * @throws IllegalArgumentException from the constructor, naming the constant, the rule and the value, when a value is
 *   out of range.
 */
public class SteadySettings(
    /** Seconds from a cut until the rate is back at its top, above 0; longer below [gentleBelow]. */
    public val recoverySeconds: Double = 4.0,
    /** Below this rate, in attempts a second, recovery and probe go more slowly; above 0. */
    public val gentleBelow: Double = 8.6,
    /** Once the server has accepted this many attempts above the top, not negative, */
    public val burstAttempts: Double = 0.1,
    /** and this many seconds' worth of them, not negative, a probe becomes a search. */
    public val burstSeconds: Double = 0.12,
    /** A search doubles the rate in so many seconds, above 0. TCP's slow start doubles in a round trip (RFC 5681). */
    public val doublingSeconds: Double = 0.5,
    /** One cut leaves the top at least at this part of the rate, above 0 and at most 1. */
    public val deepestCut: Double = 0.6,
    /** Right after a cut so many seconds' worth of permits may be saved up for a burst, from 0 to 1, */
    public val firstBurstSeconds: Double = 0.1,
    /** and with every second after it so many seconds' worth more, up to one in all as in the SDKs; not negative. */
    public val trustPerSecond: Double = 0.01,
) {
    init {
        requirePositive("recoverySeconds", recoverySeconds)
        requirePositive("gentleBelow", gentleBelow)
        requireNotNegative("burstAttempts", burstAttempts)
        requireNotNegative("burstSeconds", burstSeconds)
        requirePositive("doublingSeconds", doublingSeconds)
        require(deepestCut > 0 && deepestCut <= 1) { "deepestCut must be above 0 and at most 1, was $deepestCut" }
        require(firstBurstSeconds in 0.0..1.0) { "firstBurstSeconds must be from 0 to 1, was $firstBurstSeconds" }
        requireNotNegative("trustPerSecond", trustPerSecond)
    }

    /** These settings with the named constants replaced. */
    public fun copy(
        recoverySeconds: Double = this.recoverySeconds,
        gentleBelow: Double = this.gentleBelow,
        burstAttempts: Double = this.burstAttempts,
        burstSeconds: Double = this.burstSeconds,
        doublingSeconds: Double = this.doublingSeconds,
        deepestCut: Double = this.deepestCut,
        firstBurstSeconds: Double = this.firstBurstSeconds,
        trustPerSecond: Double = this.trustPerSecond,
    ): SteadySettings = SteadySettings(
        recoverySeconds,
        gentleBelow,
        burstAttempts,
        burstSeconds,
        doublingSeconds,
        deepestCut,
        firstBurstSeconds,
        trustPerSecond,
    )

    override fun equals(other: Any?): Boolean =
        this === other || (other is SteadySettings && members() == other.members())

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String = members().entries.joinToString(", ", "SteadySettings(", ")")

    /** All constants by name, as they stand in a policy document. */
    internal fun members(): Map<String, Double> = linkedMapOf(
        "recoverySeconds" to recoverySeconds,
        "gentleBelow" to gentleBelow,
        "burstAttempts" to burstAttempts,
        "burstSeconds" to burstSeconds,
        "doublingSeconds" to doublingSeconds,
        "deepestCut" to deepestCut,
        "firstBurstSeconds" to firstBurstSeconds,
        "trustPerSecond" to trustPerSecond,
    )

    public companion object {
        /** What [SendRateSettings.STEADY] uses. */
        @JvmField
        public val DEFAULT: SteadySettings = SteadySettings()

        private fun requireNotNegative(name: String, value: Double) =
            require(value >= 0 && value.isFinite()) { "$name must not be negative, and finite, was $value" }
    }
}
