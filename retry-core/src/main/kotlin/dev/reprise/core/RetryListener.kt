package dev.reprise.core

/**
 * Is told what happens in calls. Implement what you need; everything else does nothing.
 *
 * Called on the thread that runs the call, outside every lock and every wait, by many calls at once: do not block, do not
 * keep the call waiting. A listener that throws is reported to the log and changes nothing.
 */
public interface RetryListener {
    /** Every event, before it is handed to the method of its kind. */
    public fun onEvent(event: RetryEvent) {}

    /** The call begins. */
    public fun onCallStarted(event: RetryEvent.CallStarted) {}

    /** A send permit was waited for. */
    public fun onPermitWaited(event: RetryEvent.PermitWaited) {}

    /** An attempt begins. */
    public fun onAttemptStarted(event: RetryEvent.AttemptStarted) {}

    /** An attempt failed. */
    public fun onAttemptFailed(event: RetryEvent.AttemptFailed) {}

    /** A server's wish could not be read. */
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
