package dev.reprise.core

/** When a failure is paid for. Each rule says three amounts, and the machine takes and gives back just those. */
public enum class QuotaCharge(
    /** The name in policy documents. */
    internal val word: String,
) {
    /** Only a retry that will be made is paid for: standard mode, and everything since. */
    RETRIES("retries") {
        override fun atFailure(cost: Int): Int = 0

        override fun atRetry(cost: Int): Int = cost

        override fun backAtStop(cost: Int, paidBefore: Boolean): Int = 0

        override fun backAtSuccess(cost: Int, before: Int): Int = cost
    },

    /**
     * Every failure is paid for before it is judged, and a "no" gives the plain cost back if this call ever paid: AWS SDK
     * for Java v1. A final timeout so keeps the difference of its cost, a final throttle may give back more
     * than it took; the quota's bounds still hold. A call that ends as `not-replayable` neither pays nor gets back.
     */
    FAILURES("failures") {
        override fun atFailure(cost: Int): Int = cost

        override fun atRetry(cost: Int): Int = 0

        override fun backAtStop(cost: Int, paidBefore: Boolean): Int = if (paidBefore) cost else 0

        override fun backAtSuccess(cost: Int, before: Int): Int = if (cost > 0) cost else before
    }, ;

    /** Tokens to take for a failure that would cost [cost], before it is judged. */
    internal abstract fun atFailure(cost: Int): Int

    /** Tokens to take for a retry that is decided on. */
    internal abstract fun atRetry(cost: Int): Int

    /** Tokens to give back when the call stops with a failure; [cost] is the plain transient cost. */
    internal abstract fun backAtStop(cost: Int, paidBefore: Boolean): Int

    /** The tokens that a success after this retry gives back. The retry took [cost]; [before] was due before it. */
    internal abstract fun backAtSuccess(cost: Int, before: Int): Int
}
