package dev.reprise.core

/**
 * The cost of retries and the refund of successes, in tokens: [TokenBucketSettings] as in the AWS SDKs,
 * [SteadyQuotaSettings] for clients of any size, [RatioQuotaSettings] as in service meshes.
 *
 * Immutable; compares by value.
 */
public sealed class QuotaSettings {
    /** The most tokens that a quota of these settings can have; at least 1. */
    public abstract val capacity: Int

    /** The cost of a retry after a transient failure. */
    public abstract val cost: Int

    /** The cost of a retry after throttling. */
    public abstract val throttlingCost: Int

    /** The cost of a retry after a timeout. */
    public abstract val timeoutCost: Int

    /** The refund for a call that succeeded without paying for a retry. */
    public abstract val firstTryRefund: Int

    /** When a failure is paid for. */
    public open val charge: QuotaCharge get() = QuotaCharge.RETRIES

    /** The tokens that a retry after a failure of [kind] costs. */
    public fun costOf(kind: FailureKind): Int = if (kind == FailureKind.TRANSIENT) {
        cost
    } else if (kind == FailureKind.TIMEOUT) {
        timeoutCost
    } else {
        throttlingCost
    }

    /** All members that make the settings what they are, in the order of the documents. */
    internal abstract fun members(): List<Any>

    final override fun equals(other: Any?): Boolean =
        this === other || (other is QuotaSettings && javaClass == other.javaClass && members() == other.members())

    final override fun hashCode(): Int = javaClass.hashCode() * 31 + members().hashCode()

    internal fun requireCost(name: String, tokens: Int): Unit =
        require(tokens >= 0) { "quota.$name must not be negative: $tokens" }
}
