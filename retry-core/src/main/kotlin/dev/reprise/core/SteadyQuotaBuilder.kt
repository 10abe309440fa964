package dev.reprise.core

/**
 * Builds [SteadyQuotaSettings]: as the receiver of `SteadyQuotaSettings { }` in Kotlin, as a chain of calls in Java. Not
 * thread-safe.
 */
public class SteadyQuotaBuilder internal constructor(from: SteadyQuotaSettings?) {
    internal var capacity: Int = from?.capacity ?: 500
    internal var cost: Int = from?.cost ?: 14
    internal var throttlingCost: Int = from?.throttlingCost ?: 14

    /** `null` if it is the [cost], which it then follows. */
    internal var timeoutCost: Int? = from?.timeoutCost?.takeIf { it != from.cost }
    internal var firstTryRefund: Int = from?.firstTryRefund ?: 2
    internal var reserveRefund: Int = from?.reserveRefund ?: 1
    internal var leastCapacity: Int = from?.leastCapacity ?: 41
    internal var seconds: Double = from?.seconds ?: 5.0
    internal var operationShare: Double = from?.operationShare ?: 0.5
    internal var operations: Int = from?.operations ?: 64

    /** Sets the most tokens of the burst, and the tokens of the reserve. */
    public fun capacity(tokens: Int): SteadyQuotaBuilder = apply { capacity = tokens }

    /** Sets what a retry after a transient failure costs. */
    public fun cost(tokens: Int): SteadyQuotaBuilder = apply { cost = tokens }

    /** Sets what a retry after throttling costs. */
    public fun throttlingCost(tokens: Int): SteadyQuotaBuilder = apply { throttlingCost = tokens }

    /** Sets what a retry after a timeout costs. */
    public fun timeoutCost(tokens: Int): SteadyQuotaBuilder = apply { timeoutCost = tokens }

    /** Sets what the burst gets back from a call that succeeded without paying for a retry. */
    public fun firstTryRefund(tokens: Int): SteadyQuotaBuilder = apply { firstTryRefund = tokens }

    /** Sets what the reserve gets back from a call that succeeded without paying for a retry. */
    public fun reserveRefund(tokens: Int): SteadyQuotaBuilder = apply { reserveRefund = tokens }

    /** Sets the least tokens of the burst. */
    public fun leastCapacity(tokens: Int): SteadyQuotaBuilder = apply { leastCapacity = tokens }

    /** Sets the seconds of the client's traffic that the burst has a token for each call of. */
    public fun seconds(seconds: Double): SteadyQuotaBuilder = apply { this.seconds = seconds }

    /** Sets the share of the burst that one operation may spend. */
    public fun operationShare(share: Double): SteadyQuotaBuilder = apply { operationShare = share }

    /** Sets the most operations whose spending is remembered; 0 for no shares. */
    public fun operations(operations: Int): SteadyQuotaBuilder = apply { this.operations = operations }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException with name, rule and value if one is out of range
     */
    public fun build(): SteadyQuotaSettings = SteadyQuotaSettings(this)
}
