package dev.reprise.core

/**
 * Builds [SteadyQuotaSettings]: as the receiver of `SteadyQuotaSettings { }` in Kotlin, as a chain of calls in Java. Not
 * thread-safe.
 */
public class SteadyQuotaBuilder internal constructor() {
    private var ownTimeoutCost: Int? = null

    /** The most tokens of the burst, and the tokens of the reserve. */
    @set:JvmSynthetic
    public var capacity: Int = 500

    /** The cost of a retry after a transient failure. */
    @set:JvmSynthetic
    public var cost: Int = 14

    /**
     * The cost of a retry after throttling: by default that of any other retry, because a storm of throttles is a
     * storm.
     */
    @set:JvmSynthetic
    public var throttlingCost: Int = 14

    /** The cost of a retry after a timeout, [cost] unless it is set. */
    @set:JvmSynthetic
    public var timeoutCost: Int
        get() = ownTimeoutCost ?: cost
        set(value) {
            ownTimeoutCost = value
        }

    /** The burst's refund for a call that succeeded without paying for a retry. */
    @set:JvmSynthetic
    public var firstTryRefund: Int = 2

    /** The reserve's refund for a call that succeeded without paying for a retry. */
    @set:JvmSynthetic
    public var reserveRefund: Int = 1

    /** The least tokens of the burst. */
    @set:JvmSynthetic
    public var leastCapacity: Int = 41

    /** The seconds of the client's traffic that the burst has a token for each call of. */
    @set:JvmSynthetic
    public var seconds: Double = 5.0

    /** The share of the burst that one operation may spend. */
    @set:JvmSynthetic
    public var operationShare: Double = 0.5

    /** The most operations whose spending is remembered. */
    @set:JvmSynthetic
    public var operations: Int = 64

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
    public fun build(): SteadyQuotaSettings = SteadyQuotaSettings.of(this)
}
