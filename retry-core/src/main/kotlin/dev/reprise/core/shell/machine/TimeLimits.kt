package dev.reprise.core.shell.machine

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.shell.time.UNLIMITED_NANOS

/** The limits of a call's time under [policy]: its deadline, and `stopAfter`, which counts for retries alone. */
internal class TimeLimits(private val policy: RetryPolicy) {
    /** When the deadline of a call in [state] is reached, on the clock of its start; [UNLIMITED_NANOS] for never. */
    fun deadlineAt(state: RetryState): Long = at(deadline(state), state)

    /** Until when the attempt of [state] may begin, as [deadlineAt]. */
    fun beginsUntil(state: RetryState): Long = at(minOf(deadline(state), stopAfter(state)), state)

    /** The limit that ends a wait which lasts as long as it takes, before the attempt of [state]. */
    fun firstOf(state: RetryState): StopReason =
        if (stopAfter(state) < deadline(state)) StopReason.TIME else StopReason.DEADLINE

    /** The limit that a call in [state] reaches in [aheadNanos] from [now]; `null` if an attempt, [a retry][isRetry] or not, may begin then. */
    fun reached(state: RetryState, isRetry: Boolean, now: Long, aheadNanos: Long): StopReason? {
        fun isReached(limit: Long) = limit != UNLIMITED_NANOS && aheadNanos >= limit - (now - state.startedAt)
        return when {
            isReached(deadline(state)) -> StopReason.DEADLINE
            isRetry && isReached(policy.stopAfterNanos) -> StopReason.TIME
            else -> null
        }
    }

    private fun deadline(state: RetryState) = policy.deadlineOf(state.options)

    private fun stopAfter(state: RetryState) = if (state.attempt > 1) policy.stopAfterNanos else UNLIMITED_NANOS

    private fun at(limit: Long, state: RetryState) = if (limit == UNLIMITED_NANOS) limit else state.startedAt + limit
}
