package dev.reprise.core

/**
 * The cost of retries and the refund of successes, in tokens: [TokenBucketSettings] as in the AWS SDKs,
 * [SteadyQuotaSettings] for clients of any size, [RatioQuotaSettings] as in service meshes.
 *
 * Immutable; compares by value.
 */
public sealed class QuotaSettings(
    /** The most tokens that a quota of these settings can have; at least 1. */
    public val capacity: Int,
    /** The cost of a retry after a transient failure. */
    public val cost: Int,
    /** The cost of a retry after throttling. */
    public val throttlingCost: Int,
    /** The cost of a retry after a timeout. */
    public val timeoutCost: Int,
    /** The refund for a call that succeeded without paying for a retry. */
    public val firstTryRefund: Int,
    /** When a failure is paid for. */
    public val charge: QuotaCharge,
) {
    /** The tokens that a retry after a failure of [kind] costs. */
    internal fun costOf(kind: FailureKind): Int = when (kind) {
        FailureKind.TRANSIENT -> cost
        FailureKind.TIMEOUT -> timeoutCost
        FailureKind.THROTTLING -> throttlingCost
    }

    /** All members that make the settings what they are. */
    internal open fun members(): List<Any> = listOf(capacity, cost, throttlingCost, timeoutCost, firstTryRefund, charge)

    final override fun equals(other: Any?): Boolean =
        this === other || (other is QuotaSettings && javaClass == other.javaClass && members() == other.members())

    final override fun hashCode(): Int = javaClass.hashCode() * 31 + members().hashCode()

    internal fun requireCost(name: String, tokens: Int): Unit =
        require(tokens >= 0) { "quota.$name must not be negative: $tokens" }
}
