package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind

/**
 * How a retry quota charges: its capacity, what a retry costs by kind of failure, and what comes back. All in tokens.
 * Immutable; compares by value. The defaults are those of standard mode 2.1 (spec 3.1).
 */
public class QuotaSettings
@JvmOverloads
constructor(
    /** Tokens of a full quota; at least 1. */
    public val capacity: Int = 500,
    /** What a retry after a transient failure costs. */
    public val cost: Int = 14,
    /** What a retry after throttling costs. */
    public val throttlingCost: Int = 5,
    /** What a retry after a timeout costs. */
    public val timeoutCost: Int = cost,
    /** What a call gives back that succeeded without paying for a retry. */
    public val firstTryRefund: Int = 1,
    /** When a failure is paid for. */
    public val charge: QuotaCharge = QuotaCharge.RETRIES,
) {
    init {
        require(capacity >= 1) { "quota.capacity must be at least 1: $capacity" }
        requireCost("quota.cost", cost)
        requireCost("quota.throttlingCost", throttlingCost)
        requireCost("quota.timeoutCost", timeoutCost)
        requireCost("quota.firstTryRefund", firstTryRefund)
    }

    /** The tokens that a retry after a failure of [kind] costs. */
    public fun costOf(kind: FailureKind): Int = when (kind) {
        FailureKind.TRANSIENT -> cost
        FailureKind.TIMEOUT -> timeoutCost
        FailureKind.THROTTLING -> throttlingCost
    }

    override fun equals(other: Any?): Boolean =
        other is QuotaSettings && capacity == other.capacity && cost == other.cost &&
            throttlingCost == other.throttlingCost && timeoutCost == other.timeoutCost &&
            firstTryRefund == other.firstTryRefund && charge == other.charge

    override fun hashCode(): Int = ((capacity * 31 + cost) * 31 + throttlingCost) * 31 + timeoutCost

    override fun toString(): String =
        "quota(capacity $capacity, cost $cost, throttling $throttlingCost, timeout $timeoutCost, " +
            "first try gives back $firstTryRefund, charges ${charge.word})"

    public companion object {
        /** The quota of standard mode 2.1. */
        @JvmField
        public val STANDARD: QuotaSettings = QuotaSettings()

        private fun requireCost(name: String, tokens: Int) =
            require(tokens >= 0) { "$name must not be negative: $tokens" }
    }
}
