package dev.reprise.core.call

import dev.reprise.core.FailedAttempt
import dev.reprise.core.RetryTrace

/**
 * The attempts of a call, for its trace and its listeners. Made when there is something to remember: a call that waits
 * after its first failure has none. Confined to its call.
 */
internal class CallHistory(val events: CallEvents?) {
    /** The attempt that began last, of a call that is timed. */
    var attempt: WatchedAttempt? = null

    /** The race of the first attempt, of a call that may send a copy. */
    var race: HedgeRace? = null

    /** The part of the wait that is over, in ns, while a quota that others share makes the call wait longer. */
    var waitedNanos = 0L

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

    /** The failures that were kept. */
    fun failures(): List<FailedAttempt> = first.orEmpty() + last.orEmpty()
}
