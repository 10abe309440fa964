package dev.reprise.core

/**
 * Receives the events of calls: `RetryListener { event -> … }`. For some kinds of events only, extend
 * [RetryEventListener]. Called on the thread that runs the call, outside every lock and every wait, by many calls at
 * once: do not block, do not keep the call waiting.
 *
 * An exception of a listener is logged and changes nothing; an `Error` of one class is logged once. A call that begins
 * inside a listener, through a retrier that has this listener, tells no listener. A retrier that has a listener twice tells
 * it once.
 */
public fun interface RetryListener {
    /** Something happened. */
    public fun onEvent(event: RetryEvent)
}

/** A [RetryListener] with a method for each kind of event. Implement those that you need; the others do nothing. */
public interface RetryEventListener : RetryListener {
    override fun onEvent(event: RetryEvent): Unit = when (event) {
        is RetryEvent.CallStarted -> onCallStarted(event)
        is RetryEvent.PermitWaited -> onPermitWaited(event)
        is RetryEvent.AttemptStarted -> onAttemptStarted(event)
        is RetryEvent.HedgeStarted -> onHedgeStarted(event)
        is RetryEvent.HedgeRefused -> onHedgeRefused(event)
        is RetryEvent.HedgeWon -> onHedgeWon(event)
        is RetryEvent.AttemptFailed -> onAttemptFailed(event)
        is RetryEvent.UnitJudged -> onUnitJudged(event)
        is RetryEvent.ServerDelayIgnored -> onServerDelayIgnored(event)
        is RetryEvent.QuotaTaken -> onQuotaTaken(event)
        is RetryEvent.QuotaRefused -> onQuotaRefused(event)
        is RetryEvent.QuotaRefunded -> onQuotaRefunded(event)
        is RetryEvent.RetryScheduled -> onRetryScheduled(event)
        is RetryEvent.CallSucceeded -> onCallSucceeded(event)
        is RetryEvent.CallGaveUp -> onCallGaveUp(event)
        is RetryEvent.CallCancelled -> onCallCancelled(event)
    }

    /** The call begins. */
    public fun onCallStarted(event: RetryEvent.CallStarted) {}

    /** A send permit was waited for. */
    public fun onPermitWaited(event: RetryEvent.PermitWaited) {}

    /** An attempt begins. */
    public fun onAttemptStarted(event: RetryEvent.AttemptStarted) {}

    /** A copy of a slow first attempt begins. */
    public fun onHedgeStarted(event: RetryEvent.HedgeStarted) {}

    /** A slow first attempt gets no copy. */
    public fun onHedgeRefused(event: RetryEvent.HedgeRefused) {}

    /** The copy won. */
    public fun onHedgeWon(event: RetryEvent.HedgeWon) {}

    /** An attempt failed. */
    public fun onAttemptFailed(event: RetryEvent.AttemptFailed) {}

    /** The policy judges results, and the attempt returned `Unit`. */
    public fun onUnitJudged(event: RetryEvent.UnitJudged) {}

    /** A header in which a server asks for a delay could not be read. */
    public fun onServerDelayIgnored(event: RetryEvent.ServerDelayIgnored) {}

    /** Quota was taken for a retry. */
    public fun onQuotaTaken(event: RetryEvent.QuotaTaken) {}

    /** The quota refused a retry. */
    public fun onQuotaRefused(event: RetryEvent.QuotaRefused) {}

    /** Quota came back. */
    public fun onQuotaRefunded(event: RetryEvent.QuotaRefunded) {}

    /** A retry will follow. */
    public fun onRetryScheduled(event: RetryEvent.RetryScheduled) {}

    /** The call succeeded. */
    public fun onCallSucceeded(event: RetryEvent.CallSucceeded) {}

    /** The call gave up. */
    public fun onCallGaveUp(event: RetryEvent.CallGaveUp) {}

    /** The call was cancelled. */
    public fun onCallCancelled(event: RetryEvent.CallCancelled) {}
}
