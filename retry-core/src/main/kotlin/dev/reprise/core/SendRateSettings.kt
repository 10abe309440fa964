package dev.reprise.core

import dev.reprise.core.shell.time.SECOND

/**
 * What is set of adaptive mode: how a client-wide rate of attempts is cut and raised. The other constants are no settings: the
 * SDKs agree on theirs, and those of [STEADY] were found by simulation (`docs/research/adaptive.md`).
 *
 * An immutable value. [EXACT] has the AWS SDKs' constants; [STEADY] is this library's own. Prefer [STEADY] unless you
 * must match an SDK attempt for attempt. `docs/adaptive.md` compares the two. Others are made from one of these:
 * `SendRateSettings.STEADY.with { quietSeconds = 60.0 }` in Kotlin, [toBuilder] in Java.
 */
public class SendRateSettings private constructor(builder: Builder) {
    /** How the rate is cut and raised: as the settings do that these were made from. */
    internal val growth: GrowthRule = builder.growth

    /**
     * The share of the rate that remains after a cut, above 0 and below 1. SDKs: 0.7, the value of RFC 9438 section
     * 4.6. A client that shares a server takes less of it with a smaller one.
     */
    public val beta: Double = builder.beta

    /**
     * The speed of growth, above 0; [growth] defines its unit. SDKs: 0.4, RFC 9438 section 5.1. A client that shares a
     * server takes less of it with a smaller one.
     */
    public val scale: Double = builder.scale

    /** The rate never falls below this, in attempts a second, above 0. SDKs: 0.5. */
    public val minFillRate: Double = builder.minFillRate

    /**
     * The bucket of send tokens never gets smaller than this, at least 1 attempt. SDKs: 1. For slow clients whose
     * callers come in bunches, if the server bears a bunch.
     */
    public val minCapacity: Double = builder.minCapacity

    /** The limiter goes off after this many seconds without a throttle, above 0. [EXACT] ignores it. */
    public val quietSeconds: Double = builder.quietSeconds

    /** How a server's announcements of its limit are used. [EXACT] ignores them. */
    public val hints: ServerHints = builder.hints

    internal val quietNanos: Long = (quietSeconds * SECOND).toLong()

    init {
        require(beta > 0 && beta < 1) { "beta must be above 0 and below 1: $beta" }
        requirePositive("scale", scale)
        requirePositive("minFillRate", minFillRate)
        require(minCapacity >= 1 && minCapacity.isFinite()) {
            "minCapacity must be at least 1 and finite: $minCapacity"
        }
        require(quietSeconds > 0 && quietSeconds <= LONGEST_QUIET) {
            "quietSeconds must be above 0 and at most $LONGEST_QUIET: $quietSeconds"
        }
    }

    /** A builder that starts from these settings. */
    public fun toBuilder(): Builder = Builder(growth, this)

    /**
     * These settings with [changes].
     *
     * @throws IllegalArgumentException naming the setting, the rule and the value, when a value is out of range.
     */
    @JvmSynthetic
    public fun with(changes: Builder.() -> Unit): SendRateSettings = toBuilder().apply(changes).build()

    /** Whether what servers say of their rate limits changes anything. */
    internal val readsHints: Boolean get() = growth == GrowthRule.STEADY && hints != ServerHints.OFF

    override fun equals(other: Any?): Boolean =
        this === other || (other is SendRateSettings && members() == other.members())

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String =
        "SendRateSettings(growth=$growth, beta=$beta, scale=$scale, minFillRate=$minFillRate, " +
            "minCapacity=$minCapacity" +
            (if (growth == GrowthRule.STEADY) ", quietSeconds=$quietSeconds, hints=${hints.word})" else ")")

    private fun members(): List<Any> = listOf(growth, beta, scale, minFillRate, minCapacity, quietSeconds, hints)

    /** Builds [SendRateSettings], which explains each setting. Not thread-safe. */
    public class Builder internal constructor(internal val growth: GrowthRule, from: SendRateSettings?) {
        internal var beta: Double = from?.beta ?: growth.beta
        internal var scale: Double = from?.scale ?: growth.scale
        internal var minFillRate: Double = from?.minFillRate ?: growth.minFillRate
        internal var minCapacity: Double = from?.minCapacity ?: 1.0
        internal var quietSeconds: Double = from?.quietSeconds ?: 180.0
        internal var hints: ServerHints = from?.hints ?: ServerHints.CAP

        /** Sets [SendRateSettings.beta]. */
        public fun beta(value: Double): Builder = apply { beta = value }

        /** Sets [SendRateSettings.scale]. */
        public fun scale(value: Double): Builder = apply { scale = value }

        /** Sets [SendRateSettings.minFillRate]. */
        public fun minFillRate(value: Double): Builder = apply { minFillRate = value }

        /** Sets [SendRateSettings.minCapacity]. */
        public fun minCapacity(value: Double): Builder = apply { minCapacity = value }

        /** Sets [SendRateSettings.quietSeconds]. */
        public fun quietSeconds(value: Double): Builder = apply { quietSeconds = value }

        /** Sets [SendRateSettings.hints]. */
        public fun hints(value: ServerHints): Builder = apply { hints = value }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException naming the setting, the rule and the value, when a value is out of range.
         */
        public fun build(): SendRateSettings = SendRateSettings(this)
    }

    public companion object {
        /** The AWS SDKs' constants (read in botocore, aws-sdk-java-v2, smithy-kotlin). */
        @JvmField
        public val EXACT: SendRateSettings = Builder(GrowthRule.CUBIC, from = null).build()

        /** This library's own: settles on the server's rate and stays there. The constants come from simulation. */
        @JvmField
        public val STEADY: SendRateSettings = Builder(GrowthRule.STEADY, from = null).build()

        /** A builder that starts from [EXACT]. */
        @JvmStatic
        public fun builder(): Builder = EXACT.toBuilder()

        /**
         * [EXACT] with [changes].
         *
         * @throws IllegalArgumentException naming the setting, the rule and the value, when a value is out of range.
         */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): SendRateSettings = EXACT.with(changes)

        private const val LONGEST_QUIET = 86_400.0
    }
}

internal fun requirePositive(name: String, value: Double) =
    require(value > 0 && value.isFinite()) { "$name must be above 0 and finite: $value" }
