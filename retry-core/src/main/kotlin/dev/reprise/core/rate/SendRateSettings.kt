package dev.reprise.core.rate

/**
 * The constants of adaptive mode: how a client-wide rate of attempts is measured, cut and raised.
 *
 * An immutable value. [EXACT] has the AWS SDKs' constants; [STEADY] is this library's own. Prefer [STEADY] unless you
 * must match an SDK attempt for attempt. `docs/adaptive.md` compares the two. Made by `SendRateSettings { }` in Kotlin
 * and by [builder] in Java.
 */
public class SendRateSettings private constructor(builder: Builder) {
    /** How the rate is cut and raised. */
    public val growth: GrowthRule = builder.growth

    /**
     * The share of the rate that remains after a cut, above 0 and below 1. SDKs: 0.7, the value of RFC 9438 section
     * 4.6.
     */
    public val beta: Double = builder.beta

    /** The speed of growth, above 0; [growth] defines its unit. SDKs: 0.4, RFC 9438 section 5.1. */
    public val scale: Double = builder.scale

    /** Weight of the newest bucket in the measured rate, above 0 and at most 1. SDKs: 0.8. */
    public val smoothing: Double = builder.smoothing

    /** The rate never falls below this, in attempts a second, above 0. SDKs: 0.5. */
    public val minFillRate: Double = builder.minFillRate

    /** The bucket of send tokens never gets smaller than this, at least 1 attempt. SDKs: 1. */
    public val minCapacity: Double = builder.minCapacity

    /** Length of a measuring bucket in seconds, from a nanosecond to a day. SDKs: 0.5. */
    public val bucketSeconds: Double = builder.bucketSeconds

    /**
     * The rate never grows beyond this multiple of the measured rate, at least 1. SDKs: 2. All answers are measured;
     * under [GrowthRule.STEADY] only answers that were not throttled.
     */
    public val maxRateOverMeasured: Double = builder.maxRateOverMeasured

    /** The further settings of [GrowthRule.STEADY]; [GrowthRule.CUBIC] ignores them. */
    public val steady: SteadySettings = builder.steady

    internal val bucketNanos: Long = Math.round(bucketSeconds * NANOS_PER_SECOND)

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

    /** A builder that starts from these settings. */
    public fun toBuilder(): Builder = Builder()
        .growth(growth)
        .beta(beta)
        .scale(scale)
        .smoothing(smoothing)
        .minFillRate(minFillRate)
        .minCapacity(minCapacity)
        .bucketSeconds(bucketSeconds)
        .maxRateOverMeasured(maxRateOverMeasured)
        .steady(steady)

    /**
     * These settings with [changes].
     *
     * @throws IllegalArgumentException naming the constant, the rule and the value, when a value is out of range.
     */
    @JvmSynthetic
    public fun with(changes: Builder.() -> Unit): SendRateSettings = toBuilder().apply(changes).build()

    /** Whether what servers say of their rate limits changes anything. */
    internal val readsHints: Boolean get() = growth == GrowthRule.STEADY && steady.hints != ServerHints.OFF

    override fun equals(other: Any?): Boolean =
        this === other || (other is SendRateSettings && members() == other.members())

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String =
        "SendRateSettings(growth=$growth, beta=$beta, scale=$scale, smoothing=$smoothing, " +
            "minFillRate=$minFillRate, minCapacity=$minCapacity, bucketSeconds=$bucketSeconds, " +
            "maxRateOverMeasured=$maxRateOverMeasured" +
            (if (growth == GrowthRule.STEADY) ", steady=$steady)" else ")")

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

    /** Builds [SendRateSettings], which explains each constant. Not thread-safe. */
    public class Builder internal constructor() {
        /** [SendRateSettings.growth]. */
        @set:JvmSynthetic
        public var growth: GrowthRule = GrowthRule.CUBIC

        /** [SendRateSettings.beta]. */
        @set:JvmSynthetic
        public var beta: Double = 0.7

        /** [SendRateSettings.scale]. */
        @set:JvmSynthetic
        public var scale: Double = 0.4

        /** [SendRateSettings.smoothing]. */
        @set:JvmSynthetic
        public var smoothing: Double = 0.8

        /** [SendRateSettings.minFillRate]. */
        @set:JvmSynthetic
        public var minFillRate: Double = 0.5

        /** [SendRateSettings.minCapacity]. */
        @set:JvmSynthetic
        public var minCapacity: Double = 1.0

        /** [SendRateSettings.bucketSeconds]. */
        @set:JvmSynthetic
        public var bucketSeconds: Double = 0.5

        /** [SendRateSettings.maxRateOverMeasured]. */
        @set:JvmSynthetic
        public var maxRateOverMeasured: Double = 2.0

        /** [SendRateSettings.steady]. */
        @set:JvmSynthetic
        public var steady: SteadySettings = SteadySettings.DEFAULT

        /** Sets [SendRateSettings.growth]. */
        public fun growth(value: GrowthRule): Builder = apply { growth = value }

        /** Sets [SendRateSettings.beta]. */
        public fun beta(value: Double): Builder = apply { beta = value }

        /** Sets [SendRateSettings.scale]. */
        public fun scale(value: Double): Builder = apply { scale = value }

        /** Sets [SendRateSettings.smoothing]. */
        public fun smoothing(value: Double): Builder = apply { smoothing = value }

        /** Sets [SendRateSettings.minFillRate]. */
        public fun minFillRate(value: Double): Builder = apply { minFillRate = value }

        /** Sets [SendRateSettings.minCapacity]. */
        public fun minCapacity(value: Double): Builder = apply { minCapacity = value }

        /** Sets [SendRateSettings.bucketSeconds]. */
        public fun bucketSeconds(value: Double): Builder = apply { bucketSeconds = value }

        /** Sets [SendRateSettings.maxRateOverMeasured]. */
        public fun maxRateOverMeasured(value: Double): Builder = apply { maxRateOverMeasured = value }

        /** Sets [SendRateSettings.steady]. */
        public fun steady(value: SteadySettings): Builder = apply { steady = value }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException naming the constant, the rule and the value, when a value is out of range.
         */
        public fun build(): SendRateSettings = SendRateSettings(this)
    }

    public companion object {
        /** The AWS SDKs' constants (read in botocore, aws-sdk-java-v2, smithy-kotlin). */
        @JvmField
        public val EXACT: SendRateSettings = Builder().build()

        /** This library's own: settles on the server's rate and stays there. The constants come from simulation. */
        @JvmField
        public val STEADY: SendRateSettings =
            Builder().growth(GrowthRule.STEADY).beta(0.9).scale(0.012).minFillRate(0.1).build()

        /** A builder that starts from [EXACT]. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /**
         * [EXACT] with [changes].
         *
         * @throws IllegalArgumentException naming the constant, the rule and the value, when a value is out of range.
         */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): SendRateSettings = Builder().apply(changes).build()

        private const val SECONDS_IN_A_DAY = 86_400.0
    }
}

internal fun requirePositive(name: String, value: Double) =
    require(value > 0 && value.isFinite()) { "$name must be above 0 and finite, was $value" }

private fun requireAtLeastOne(name: String, value: Double) =
    require(value >= 1 && value.isFinite()) { "$name must be at least 1 and finite, was $value" }
