package dev.reprise.core

/**
 * A quota for clients of any size, at the AWS SDKs' price of 14 for a retry of any kind. A retry is paid for twice:
 * - from a *reserve*, which is the SDKs' own bucket: [capacity] tokens, [reserveRefund] back for a first attempt that succeeds;
 * - from a *burst*, which holds one token for each call of the client's last [seconds], from [leastCapacity] to [capacity], and
 *   gets [firstTryRefund] back. It bounds what a client may add to an outage by seconds of its own traffic.
 *
 * So it never has more tokens than the SDKs' quota would have after the same calls. An operation may spend
 * [operationShare] of the burst, so that one dead operation does not take the retries of the others. `docs/research/quota.md` has
 * the reason for each constant.
 */
public class SteadyQuotaSettings internal constructor(builder: SteadyQuotaBuilder) :
    QuotaSettings(
        builder.capacity,
        builder.cost,
        builder.throttlingCost,
        builder.timeoutCost ?: builder.cost,
        builder.firstTryRefund,
        QuotaCharge.RETRIES,
    ) {
    /** The reserve's refund for a call that succeeded without paying for a retry. */
    public val reserveRefund: Int = builder.reserveRefund

    /** The least tokens of the burst, from 1 to [capacity]: the burst of a client that has just begun, or is seldom used. */
    public val leastCapacity: Int = builder.leastCapacity

    /** The seconds of the client's traffic that the burst has a token for each call of; from 0.001 to a day. */
    public val seconds: Double = builder.seconds

    /** The share of the burst that one operation may spend, but no less than [leastCapacity]; above 0, at most 1. */
    public val operationShare: Double = builder.operationShare

    /** The most operations whose spending is remembered; the least recently failed one is forgotten. 0 for no shares. */
    public val operations: Int = builder.operations

    init {
        require(capacity in 1..MOST_TOKENS) { "quota.capacity must be from 1 to $MOST_TOKENS: $capacity" }
        require(leastCapacity in 1..capacity) {
            "quota.leastCapacity must be from 1 to capacity ($capacity): $leastCapacity"
        }
        requireAboveRefund("cost", cost)
        requireAboveRefund("throttlingCost", throttlingCost)
        requireAboveRefund("timeoutCost", timeoutCost)
        requireCost("reserveRefund", reserveRefund)
        require(firstTryRefund >= reserveRefund) {
            "quota.firstTryRefund must be at least reserveRefund ($reserveRefund): $firstTryRefund"
        }
        require(seconds in LEAST_SECONDS..SECONDS_IN_A_DAY) {
            "quota.seconds must be from $LEAST_SECONDS to $SECONDS_IN_A_DAY: $seconds"
        }
        require(operationShare > 0 && operationShare <= 1) {
            "quota.operationShare must be above 0 and at most 1: $operationShare"
        }
        require(operations in 0..MOST_OPERATIONS) {
            "quota.operations must be from 0 to $MOST_OPERATIONS: $operations"
        }
    }

    /** Lets the quota tell the refund of a first attempt from that of a retry. */
    private fun requireAboveRefund(name: String, tokens: Int) =
        require(tokens > firstTryRefund) { "quota.$name must be above firstTryRefund ($firstTryRefund): $tokens" }

    /** The tokens that one operation may have spent of a burst of [capacity] tokens. */
    internal fun shareOf(capacity: Int): Int = maxOf(leastCapacity, (capacity * operationShare).toInt())

    /** These settings with [changes]. */
    @JvmSynthetic
    public fun with(changes: SteadyQuotaBuilder.() -> Unit): SteadyQuotaSettings =
        SteadyQuotaBuilder(this).apply(changes).build()

    override fun members(): List<Any> =
        super.members() + listOf(reserveRefund, leastCapacity, seconds, operationShare, operations)

    override fun toString(): String =
        "steady quota(capacity $leastCapacity to $capacity, $seconds s of traffic, cost $cost, " +
            "throttling $throttlingCost, timeout $timeoutCost, " +
            "first try gives back $firstTryRefund and $reserveRefund, " +
            "share $operationShare of $operations operations)"

    public companion object {
        /** The most tokens that a steady quota can have: three counts of 20 bits fit into one word. */
        internal const val MOST_TOKENS: Int = 1_000_000

        /** The most operations whose spending can be remembered. */
        internal const val MOST_OPERATIONS: Int = 10_000

        private const val LEAST_SECONDS = 0.001
        private const val SECONDS_IN_A_DAY = 86_400.0

        /** The settings of the presets `standard-steady` and `adaptive-steady`. */
        @JvmField
        public val DEFAULT: SteadyQuotaSettings = builder().build()

        /** A builder that starts from [DEFAULT]. */
        @JvmStatic
        public fun builder(): SteadyQuotaBuilder = SteadyQuotaBuilder(from = null)

        /** [DEFAULT] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: SteadyQuotaBuilder.() -> Unit): SteadyQuotaSettings =
            builder().apply(changes).build()
    }
}
