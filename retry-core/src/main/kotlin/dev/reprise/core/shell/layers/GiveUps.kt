package dev.reprise.core.shell.layers

import dev.reprise.core.shell.MAX_CAUSES
import dev.reprise.core.shell.causeOf
import java.util.concurrent.atomic.AtomicLong

/**
 * The order in which calls of this process gave up that could have retried, and the question whether a failure is such a
 * call's. A mark proves that it is of an attempt by its place in that order: it was made after the attempt began. An
 * exception that was thrown before, and comes from a cache or is a constant, has an older one.
 */
internal object GiveUps {
    /** Stands for a retrier that has no second call: any mark is another's. */
    const val LONE = 0L

    private val ticks = AtomicLong()
    private val retriers = AtomicLong()

    /**
     * The tick of the last give-up. An attempt keeps the lower 32 bits: fewer give-ups than that happen during one
     * attempt.
     */
    fun now(): Int = ticks.get().toInt()

    /** The number of a new retrier. */
    fun newRetrier(): Long = retriers.incrementAndGet()

    /** The tick of a call that gives up now. */
    fun next(): Long = ticks.incrementAndGet()

    /**
     * Whether a call of another retrier than [retrier] gave up after [since] on [outcome], an attempt's result or
     * exception, or on one of its nearest causes. False if one of them carries an older mark.
     */
    fun isMarked(outcome: Any?, since: Int, retrier: Long): Boolean {
        val now = ticks.get()
        val later = Integer.toUnsignedLong(now.toInt() - since)
        if (later == 0L) return false
        if (outcome is Throwable) return isFailureMarked(outcome, now - later, retrier)
        return MarkCarriers.markOf(outcome)?.let { it.tick > now - later && isAnother(it, retrier) } == true
    }

    private fun isAnother(mark: GiveUpMark, retrier: Long) = retrier == LONE || mark.owner != retrier

    private fun isFailureMarked(failure: Throwable, since: Long, retrier: Long): Boolean {
        var isMarked = false
        var cause: Throwable? = failure
        var depth = 0
        while (cause != null && depth++ < MAX_CAUSES) {
            MarkCarriers.eachMark(cause) {
                if (it.tick <= since) return false
                if (isAnother(it, retrier)) isMarked = true
            }
            cause = causeOf(cause)
        }
        return isMarked
    }
}
