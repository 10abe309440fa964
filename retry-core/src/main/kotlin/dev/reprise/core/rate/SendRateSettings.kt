package dev.reprise.core.rate

import kotlin.math.roundToLong

/**
 * The constants of adaptive mode: how a client-wide rate of attempts is measured, cut and raised.
 *
 * An immutable value. [EXACT] is what the AWS SDKs ship; [STEADY] is this library's own and is what to prefer where
 * nothing has to match an SDK attempt for attempt. `docs/adaptive.md` compares the two.
 *
 * @throws IllegalArgumentException from the constructor, naming the constant, the rule and the value, when a value is
 *   out of range.
 */
public class SendRateSettings(
    /** How the rate is cut and raised. */
    public val growth: GrowthRule = GrowthRule.Cubic,
    /** What is left of the rate after a cut, above 0 and below 1. SDKs: 0.7, the value of RFC 9438 section 4.6. */
    public val beta: Double = 0.7,
    /** How fast the rate grows, above 0; what it multiplies is said by [growth]. SDKs: 0.4, RFC 9438 section 5.1. */
    public val scale: Double = 0.4,
    /** Weight of the newest bucket in the measured rate, above 0 and at most 1. SDKs: 0.8. */
    public val smoothing: Double = 0.8,
    /** The rate never falls below this, in attempts a second, above 0. SDKs: 0.5. */
    public val minFillRate: Double = 0.5,
    /** The bucket of send tokens never gets smaller than this, at least 1 attempt. SDKs: 1. */
    public val minCapacity: Double = 1.0,
    /** Length of a measuring bucket in seconds, from a nanosecond to a day. SDKs: 0.5. */
    public val bucketSeconds: Double = 0.5,
    /**
     * The rate never grows beyond this multiple of the measured rate, at least 1. SDKs: 2. All answers are measured;
     * under [GrowthRule.Steady] those that were not throttled.
     */
    public val maxRateOverMeasured: Double = 2.0,
    /** What [GrowthRule.Steady] needs besides; [GrowthRule.Cubic] does not look at it. */
    public val steady: SteadySettings = SteadySettings.DEFAULT,
) {
    internal val bucketNanos: Long = (bucketSeconds * NANOS_PER_SECOND).roundToLong()

    init {
        require(beta > 0 && beta < 1) { "beta must be above 0 and below 1, was $beta" }
        requirePositive("scale", scale)
        require(smoothing > 0 && smoothing <= 1) { "smoothing must be above 0 and at most 1, was $smoothing" }
        requirePositive("minFillRate", minFillRate)
        requireAtLeastOne("minCapacity", minCapacity)
        require(bucketSeconds in 1e-9..SECONDS_IN_A_DAY) {
            "bucketSeconds must be from 1.0E-9 to $SECONDS_IN_A_DAY, was $bucketSeconds"
        }
        requireAtLeastOne("maxRateOverMeasured", maxRateOverMeasured)
    }

    /** These settings with the named constants replaced. */
    public fun copy(
        growth: GrowthRule = this.growth,
        beta: Double = this.beta,
        scale: Double = this.scale,
        smoothing: Double = this.smoothing,
        minFillRate: Double = this.minFillRate,
        minCapacity: Double = this.minCapacity,
        bucketSeconds: Double = this.bucketSeconds,
        maxRateOverMeasured: Double = this.maxRateOverMeasured,
        steady: SteadySettings = this.steady,
    ): SendRateSettings = SendRateSettings(
        growth,
        beta,
        scale,
        smoothing,
        minFillRate,
        minCapacity,
        bucketSeconds,
        maxRateOverMeasured,
        steady,
    )

    /** Whether what servers say of their rate limits changes anything. */
    internal val readsHints: Boolean get() = growth == GrowthRule.Steady && steady.hints != ServerHints.OFF

    override fun equals(other: Any?): Boolean =
        this === other || (other is SendRateSettings && members() == other.members())

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String =
        "SendRateSettings(growth=$growth, beta=$beta, scale=$scale, smoothing=$smoothing, " +
            "minFillRate=$minFillRate, minCapacity=$minCapacity, bucketSeconds=$bucketSeconds, " +
            "maxRateOverMeasured=$maxRateOverMeasured" +
            (if (growth == GrowthRule.Steady) ", steady=$steady)" else ")")

    private fun members(): List<Any> = listOf(
        growth,
        beta,
        scale,
        smoothing,
        minFillRate,
        minCapacity,
        bucketSeconds,
        maxRateOverMeasured,
        steady,
    )

    public companion object {
        /** What the AWS SDKs ship, constant for constant (read in botocore, aws-sdk-java-v2, smithy-kotlin). */
        @JvmField
        public val EXACT: SendRateSettings = SendRateSettings()

        /** This library's own: settles on the server's rate and stays there. The constants come from simulation. */
        @JvmField
        public val STEADY: SendRateSettings =
            SendRateSettings(growth = GrowthRule.Steady, beta = 0.9, scale = 0.012, minFillRate = 0.1)

        private const val SECONDS_IN_A_DAY = 86_400.0
    }
}

internal fun requirePositive(name: String, value: Double) =
    require(value > 0 && value.isFinite()) { "$name must be above 0 and finite, was $value" }

private fun requireAtLeastOne(name: String, value: Double) =
    require(value >= 1 && value.isFinite()) { "$name must be at least 1 and finite, was $value" }
