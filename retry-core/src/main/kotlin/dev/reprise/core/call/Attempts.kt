package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.machine.RetryState
import dev.reprise.core.time.UNLIMITED_NANOS

/** An attempt of a call without listener and limit. The first one is made once for each policy. */
internal open class PlainAttempt(setup: CallSetup, state: RetryState, final override val lastFailure: Throwable?) :
    Attempt {
    final override val number: Int = state.attempt
    override val sentNumber: Int get() = number
    final override val isLast: Boolean = number >= state.options.attemptsOf(setup.policy)
    override val timeLeftNanos: Long get() = UNLIMITED_NANOS
    override val callId: Long get() = 0

    override fun toString(): String = "attempt $number"
}

/** A plain attempt of a call that is made for a request which a server serves. */
private class ServedAttempt(setup: CallSetup, state: RetryState, lastFailure: Throwable?) :
    PlainAttempt(setup, state, lastFailure) {
    override val sentNumber: Int = sentNumber(state)
}

/** The attempt of [state] of a call without listener and limit. */
internal fun plainAttempt(setup: CallSetup, state: RetryState, lastFailure: Throwable?): Attempt = when {
    state.options.served == null -> PlainAttempt(setup, state, lastFailure)
    else -> ServedAttempt(setup, state, lastFailure)
}

private fun sentNumber(state: RetryState) = maxOf(state.attempt, state.options.served?.upstream?.attempt ?: 1)

/** An attempt, begun at [startedAt], of a call that has a listener or a limit: may take what its policy and the call leave. */
internal class WatchedAttempt(
    setup: CallSetup,
    state: RetryState,
    lastFailure: Throwable?,
    override val callId: Long,
    val startedAt: Long,
) : PlainAttempt(setup, state, lastFailure) {
    override val sentNumber: Int = sentNumber(state)
    private val clock = setup.clock
    private val limitNanos = setup.policy.attemptTimeoutNanos(number)

    /** How long its call may still take, in ns from its start. */
    private val callNanos = setup.policy.deadlineOf(state.options).let {
        if (it == UNLIMITED_NANOS) it else (it - (startedAt - state.startedAt)).coerceAtLeast(0)
    }

    @Volatile
    private var pausedNanos = 0L

    override val timeLeftNanos: Long
        get() {
            if (limitNanos == UNLIMITED_NANOS && callNanos == UNLIMITED_NANOS) return UNLIMITED_NANOS
            val taken = clock.nanoTime() - startedAt
            return minOf(left(limitNanos, taken - pausedNanos), left(callNanos, taken))
        }

    /** Its call waited [nanos] before it hands over what this gave: that is no time that the attempt takes. */
    fun paused(nanos: Long) {
        pausedNanos = nanos
    }

    private fun left(limit: Long, taken: Long) =
        if (limit == UNLIMITED_NANOS) UNLIMITED_NANOS else (limit - taken).coerceIn(0, limit)
}

/** A copy of the [first] attempt while that is under way: numbered as the next one, with the same time left. */
internal class CopiedAttempt(first: WatchedAttempt) : Attempt by first {
    override val number: Int = first.number + 1
    override val sentNumber: Int = first.sentNumber + 1
    override val isCopy: Boolean get() = true

    override fun toString(): String = "copy of attempt 1"
}
