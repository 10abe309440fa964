package dev.reprise.core.layers

import java.util.concurrent.atomic.AtomicLong

/**
 * The order in which calls of this process gave up that could have retried, and the question whether a failure is such a
 * call's. A mark proves that it is of an attempt by its place in that order: it was made after the attempt began. An
 * exception that was thrown before, from a cache or as a constant, has an older one.
 */
internal object GiveUps {
    /** Stands for a failure without a mark, and for a retrier that is none. */
    const val NONE = 0L

    /** How deep causes are looked through. */
    private const val MOST_CAUSES = 10

    private val ticks = AtomicLong()

    /** The tick of the last give-up. Everything that comes later has a higher one. */
    fun now(): Long = ticks.get()

    /** The tick of a give-up that happens now. */
    fun next(): Long = ticks.incrementAndGet()

    /**
     * Whether a call of another retrier than [retrier] gave up on [failure] or on one of its nearest causes after the tick
     * [since], and no mark there is older.
     */
    fun isMarked(failure: Throwable, since: Long, retrier: Long = NONE): Boolean {
        var isMarked = false
        var cause: Throwable? = failure
        var depth = 0
        while (cause != null && depth++ < MOST_CAUSES) {
            for (mark in MarkCarriers.marksOf(cause)) {
                if (mark.tick == NONE) continue
                if (mark.tick <= since) return false
                if (mark.retrier != retrier) isMarked = true
            }
            cause = cause.cause
        }
        return isMarked
    }

    /** [isMarked] of a [result] that is not accepted. */
    fun isMarked(result: Any?, since: Long, retrier: Long): Boolean {
        val mark = MarkCarriers.markOf(result) ?: return false
        return mark.tick > since && mark.retrier != retrier
    }
}
