package dev.reprise.core

/** When a failure is paid for. Each rule says four amounts, and the machine takes and gives back just those. */
public enum class QuotaCharge {
    /** Only a retry that will be made is paid for: standard mode, and everything since. */
    RETRIES,

    /**
     * Every failure is paid for before it is judged, and a "no" gives the plain cost back if this call ever paid: AWS SDK
     * for Java v1. A final timeout so keeps the difference of its cost, a final throttle may give back more
     * than it took; the quota's bounds still hold. A call that ends as `not-replayable` neither pays nor gets back.
     */
    FAILURES,
    ;

    /** Tokens to take for a failure that would cost [cost], before it is judged. */
    internal fun atFailure(cost: Int): Int = if (this == FAILURES) cost else 0

    /** Tokens to take for a retry that is decided on. */
    internal fun atRetry(cost: Int): Int = if (this == RETRIES) cost else 0

    /** Tokens to give back when the call stops with a failure; [cost] is the plain transient cost. */
    internal fun backAtStop(cost: Int, paidBefore: Boolean): Int = if (this == FAILURES && paidBefore) cost else 0

    /** The tokens that a success after this retry gives back. The retry took [cost]; [before] was due before it. */
    internal fun backAtSuccess(cost: Int, before: Int): Int = if (this == RETRIES || cost > 0) cost else before
}
