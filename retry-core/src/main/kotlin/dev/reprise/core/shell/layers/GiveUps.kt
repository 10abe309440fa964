package dev.reprise.core.shell.layers

import java.util.concurrent.atomic.AtomicLong

/**
 * The order in which calls of this process gave up that could have retried, and the question whether a failure is such a
 * call's. A mark counts for an attempt if its call gave up after the attempt began and was made in the attempt's scope.
 */
internal object GiveUps {
    private val ticks = AtomicLong()

    /**
     * The tick of the last give-up. An attempt keeps the lower 32 bits: fewer give-ups than that happen during one
     * attempt.
     */
    fun now(): Int = ticks.get().toInt()

    /** The tick of a call that gives up now. */
    fun next(): Long = ticks.incrementAndGet()

    /**
     * Whether a call made in [scope] gave up after [since] on [outcome], an attempt's result or exception, or on one of its
     * nearest causes. False without a scope.
     */
    fun isMarked(outcome: Any?, since: Int, scope: AttemptScope?): Boolean {
        if (scope == null || now() == since) return false
        MarkCarriers.eachMarkOf(outcome) { if (isLater(it, since) && it.place?.let(scope::holds) == true) return true }
        return false
    }

    /** Whether any call gave up after [since] on [failure], or on one of its nearest causes. False if one carries an older mark. */
    fun isMarkedByAny(failure: Throwable, since: Int): Boolean {
        var isMarked = false
        MarkCarriers.eachMarkOf(failure) {
            if (!isLater(it, since)) return false
            isMarked = true
        }
        return isMarked
    }

    private fun isLater(mark: GiveUpMark, since: Int): Boolean {
        val now = ticks.get()
        return mark.tick > now - Integer.toUnsignedLong(now.toInt() - since)
    }
}
