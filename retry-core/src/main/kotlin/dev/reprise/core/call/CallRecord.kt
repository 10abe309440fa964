package dev.reprise.core.call

import dev.reprise.core.FailedAttempt
import dev.reprise.core.RetryTrace
import dev.reprise.core.machine.Decision

/**
 * What a call keeps for its end, and for those who listen. Made when there is something to keep: a call that waits after
 * its first failure has none. Confined to its call.
 */
internal class CallRecord(val events: CallEvents?) {
    /** What ended the call, or `null` while it goes on. */
    var end: Decision? = null

    /** What the call throws instead of what its last attempt gave; `null` unless something came in the way. */
    var thrown: Throwable? = null

    /** Whether the call was cancelled, with [thrown]. */
    var isCancelled = false

    /** When the attempt was sent, of a call that is timed. */
    var sentAt = CallSetup.NEVER

    /** How much of its wait is over, in ns, of a call that waits on for its quota. */
    var waitedNanos = 0L

    /** The attempt that began last, of a call that is timed. */
    var attempt: WatchedAttempt? = null

    /** The failure that the ended call throws, once it carries its trace. */
    var failure: Throwable? = null

    /** The trace, once it was asked for. */
    var trace: RetryTrace? = null

    /** The call throws [thrown], which came in the way after [lastFailure]. */
    fun breaks(thrown: Throwable, lastFailure: Throwable?) {
        lastFailure?.let { thrown.carry(it) }
        this.thrown = thrown
    }

    /** The call throws [cause] as it is: its caller no longer wants it. */
    fun cancels(cause: Throwable) {
        thrown = cause
        isCancelled = true
    }

    private var first: ArrayList<FailedAttempt>? = null
    private var last: ArrayDeque<FailedAttempt>? = null

    /** Keeps [failure]: the first few of a call, and the last few. */
    fun add(failure: FailedAttempt) {
        val first = first ?: ArrayList<FailedAttempt>(RetryTrace.KEPT_FIRST).also { first = it }
        if (first.size < RetryTrace.KEPT_FIRST) {
            first += failure
            return
        }
        val last = last ?: ArrayDeque<FailedAttempt>().also { last = it }
        if (last.size == RetryTrace.KEPT_LAST) last.removeFirst()
        last += failure
    }

    /** The failures that were kept, and [final] behind them. */
    fun with(final: FailedAttempt?): List<FailedAttempt> {
        val all = ArrayList<FailedAttempt>((first?.size ?: 0) + (last?.size ?: 0) + 1)
        first?.let(all::addAll)
        last?.let(all::addAll)
        if (final != null) all += final
        return all
    }
}
