package dev.reprise.soak

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.quota.RetryQuota
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.LongAdder

/** One face's orders, the counts of its events, and its quota's counts. Only calls of some faces [mayBeCancelled]. */
internal class Books(val name: String, val mayBeCancelled: Boolean) : RetryListener {
    val quota = RetryQuota(QUOTA)
    val made = LongAdder()
    val outcomes = LongAdder()
    val begun = LongAdder()
    val ended = LongAdder()
    val cancelled = LongAdder()
    val gaveUp = LongAdder()
    val attempts = LongAdder()
    private val netTokens = AtomicLong()

    override fun onEvent(event: RetryEvent) {
        when (event) {
            is RetryEvent.CallStarted -> begun.increment()

            is RetryEvent.AttemptStarted -> attempts.increment()

            is RetryEvent.QuotaTaken -> netTokens.addAndGet(event.tokens.toLong())

            is RetryEvent.QuotaRefunded -> netTokens.addAndGet(-event.tokens.toLong())

            is RetryEvent.CallSucceeded -> ended.increment()

            is RetryEvent.CallGaveUp -> {
                ended.increment()
                gaveUp.increment()
            }

            is RetryEvent.CallCancelled -> {
                ended.increment()
                cancelled.increment()
            }

            is RetryEvent.PermitWaited,
            is RetryEvent.UnitJudged,
            is RetryEvent.HedgeStarted,
            is RetryEvent.HedgeRefused,
            is RetryEvent.HedgeWon,
            is RetryEvent.AttemptFailed,
            is RetryEvent.ServerDelayIgnored,
            is RetryEvent.QuotaRefused,
            is RetryEvent.RetryScheduled,
            -> Unit
        }
    }

    /** Spent tokens: by the events, and by the quota's counter. */
    val tokensByEvents: Long get() = netTokens.get()
    val tokensByCounter: Long get() = (quota.capacity - quota.available).toLong()

    private companion object {
        /** Large enough for a face to keep retrying, small enough to be empty now and then. */
        const val QUOTA = 500
    }
}
