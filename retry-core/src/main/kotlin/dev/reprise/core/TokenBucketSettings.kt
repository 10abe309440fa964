package dev.reprise.core

/**
 * The quota of the AWS SDKs, exact to the token: a bucket of [capacity] tokens, whose size does not depend on the
 * client's traffic. The defaults are those of standard mode 2.1. A small client can spend it through a whole outage;
 * use [SteadyQuotaSettings] for fleets of small clients.
 */
public class TokenBucketSettings private constructor(builder: Builder) :
    QuotaSettings(
        builder.capacity,
        builder.cost,
        builder.throttlingCost,
        builder.timeoutCost ?: builder.cost,
        builder.firstTryRefund,
        builder.charge,
    ) {
    init {
        require(capacity >= 1) { "quota.capacity must be at least 1: $capacity" }
        requireCost("cost", cost)
        requireCost("throttlingCost", throttlingCost)
        requireCost("timeoutCost", timeoutCost)
        requireCost("firstTryRefund", firstTryRefund)
    }

    /** These settings with [changes]. */
    @JvmSynthetic
    public fun with(changes: Builder.() -> Unit): TokenBucketSettings = Builder(this).apply(changes).build()

    override fun toString(): String =
        "quota(capacity $capacity, cost $cost, throttling $throttlingCost, timeout $timeoutCost, " +
            "first try gives back $firstTryRefund, charges ${charge.word})"

    /** Builds [TokenBucketSettings]. Not thread-safe. */
    public class Builder internal constructor(from: TokenBucketSettings? = null) {
        internal var capacity: Int = from?.capacity ?: 500
        internal var cost: Int = from?.cost ?: 14
        internal var throttlingCost: Int = from?.throttlingCost ?: 5

        /** `null` if it is the [cost], which it then follows. */
        internal var timeoutCost: Int? = from?.timeoutCost?.takeIf { it != from.cost }
        internal var firstTryRefund: Int = from?.firstTryRefund ?: 1
        internal var charge: QuotaCharge = from?.charge ?: QuotaCharge.RETRIES

        /** Sets the tokens of a full quota; at least 1. */
        public fun capacity(tokens: Int): Builder = apply { capacity = tokens }

        /** Sets what a retry after a transient failure costs. */
        public fun cost(tokens: Int): Builder = apply { cost = tokens }

        /** Sets what a retry after throttling costs. */
        public fun throttlingCost(tokens: Int): Builder = apply { throttlingCost = tokens }

        /** Sets what a retry after a timeout costs. */
        public fun timeoutCost(tokens: Int): Builder = apply { timeoutCost = tokens }

        /** Sets what a call gives back that succeeded without paying for a retry. */
        public fun firstTryRefund(tokens: Int): Builder = apply { firstTryRefund = tokens }

        /** Sets when a failure is paid for. */
        public fun charge(charge: QuotaCharge): Builder = apply { this.charge = charge }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException with name, rule and value if one is out of range
         */
        public fun build(): TokenBucketSettings = TokenBucketSettings(this)
    }

    public companion object {
        /** The quota of standard mode 2.1. */
        @JvmField
        public val STANDARD: TokenBucketSettings = builder().build()

        /** A builder that starts from [STANDARD]. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /** [STANDARD] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): TokenBucketSettings = builder().apply(changes).build()
    }
}
