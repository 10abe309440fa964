package dev.reprise.core

/**
 * The failures of one call before its last: the first few, and a ring of the last few. Keeps what an attempt failed with
 * as it is and makes text of it only when a trace is wanted. Confined to its call.
 */
internal class TraceLog {
    private class Entry(val number: Int, val outcome: Any?, val delayNanos: Long)

    private val first = ArrayList<Entry>(RetryTrace.KEPT_FIRST)
    private val last = ArrayDeque<Entry>()

    /** What was made of this log, once the call has ended. */
    var trace: RetryTrace? = null

    /** What the ended call throws. */
    var thrown: Throwable? = null

    fun add(number: Int, outcome: Any?, delayNanos: Long) {
        val entry = Entry(number, outcome, delayNanos)
        if (first.size < RetryTrace.KEPT_FIRST) {
            first += entry
            return
        }
        if (last.size == RetryTrace.KEPT_LAST) last.removeFirst()
        last += entry
    }

    fun all(): List<FailedAttempt> =
        (first + last).map { FailedAttempt(it.number, outcomeText(it.outcome), it.delayNanos) }
}
