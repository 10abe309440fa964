package dev.reprise.core

/**
 * A retry budget as service meshes have it: retries may be [percent] of the calls that succeeded within the last
 * [windowSeconds], plus [perSecond] retries a second. A token is a hundredth of a retry, so each success adds [percent]
 * of them, and a retry of any kind costs 100.
 *
 * Mind [perSecond]: every client has it, so in an outage a fleet of small clients retries without a limit.
 */
public class RatioQuotaSettings private constructor(builder: Builder) :
    QuotaSettings(Int.MAX_VALUE, RETRY, RETRY, RETRY, firstTryRefund = builder.percent, QuotaCharge.RETRIES) {
    /** Retries for each hundred successful calls, from 0 to 1000. */
    public val percent: Int = builder.percent

    /** Retries a second that need no successful call, from 0 to a million. */
    public val perSecond: Int = builder.perSecond

    /** How long a success counts, in seconds from 1 to 60. */
    public val windowSeconds: Int = builder.windowSeconds

    init {
        require(percent in 0..1_000) { "quota.percent must be from 0 to 1000: $percent" }
        require(perSecond in 0..1_000_000) { "quota.perSecond must be from 0 to 1000000: $perSecond" }
        require(windowSeconds in 1..60) { "quota.windowSeconds must be from 1 to 60: $windowSeconds" }
    }

    /** These settings with [changes]. */
    @JvmSynthetic
    public fun with(changes: Builder.() -> Unit): RatioQuotaSettings = Builder(this).apply(changes).build()

    override fun members(): List<Any> = super.members() + listOf(percent, perSecond, windowSeconds)

    override fun toString(): String = "ratio quota($percent % of $windowSeconds s, and $perSecond a second)"

    /** Builds [RatioQuotaSettings]. Not thread-safe. */
    public class Builder internal constructor(from: RatioQuotaSettings? = null) {
        internal var percent: Int = from?.percent ?: 20
        internal var perSecond: Int = from?.perSecond ?: 10
        internal var windowSeconds: Int = from?.windowSeconds ?: 10

        /** Sets the retries for each hundred successful calls. */
        public fun percent(percent: Int): Builder = apply { this.percent = percent }

        /** Sets the retries a second that need no successful call. */
        public fun perSecond(retries: Int): Builder = apply { perSecond = retries }

        /** Sets how long a success counts, in seconds. */
        public fun windowSeconds(seconds: Int): Builder = apply { windowSeconds = seconds }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException with name, rule and value if one is out of range
         */
        public fun build(): RatioQuotaSettings = RatioQuotaSettings(this)
    }

    public companion object {
        /** The tokens of one retry. */
        internal const val RETRY = 100

        /** Finagle's default, and Linkerd's: 20 %, 10 a second, 10 s (`RetryBudget`, since release 6.31). */
        @JvmField
        public val FINAGLE: RatioQuotaSettings = builder().build()

        /** A builder that starts from [FINAGLE]. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /** [FINAGLE] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): RatioQuotaSettings = builder().apply(changes).build()
    }
}
