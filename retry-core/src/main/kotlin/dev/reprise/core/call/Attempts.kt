package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.machine.RetryState
import dev.reprise.core.time.NanoClock
import dev.reprise.core.time.UNLIMITED_NANOS

/** An attempt of a call without listener and limit. The first one is made once for each policy. */
internal open class PlainAttempt(
    override val number: Int,
    override val isLast: Boolean,
    override val lastFailure: Throwable?,
) : Attempt {
    override val timeLeftNanos: Long get() = UNLIMITED_NANOS
    override val callId: Long get() = 0

    override fun toString(): String = "attempt $number"
}

/** A plain attempt of a call that is made for a request which is a retry. */
internal class ServedAttempt(number: Int, isLast: Boolean, lastFailure: Throwable?, override val sentNumber: Int) :
    PlainAttempt(number, isLast, lastFailure)

/** An attempt of a call that has a listener or a limit. */
internal class WatchedAttempt(
    override val number: Int,
    override val isLast: Boolean,
    override val lastFailure: Throwable?,
    override val sentNumber: Int,
    override val callId: Long,
    private val clock: NanoClock,
    private val startedAt: Long,
    /** How long it may take, in ns. */
    private val limitNanos: Long,
    /** How long its call may still take, in ns from its start. */
    private val callNanos: Long,
) : Attempt {
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

    override fun toString(): String = "attempt $number"
}

/** The attempt of [state], without listener and limit. */
internal fun plainAttempt(setup: CallSetup, state: RetryState, lastFailure: Throwable?): Attempt {
    val isLast = isLast(setup, state)
    if (state.options.served == null) return PlainAttempt(state.attempt, isLast, lastFailure)
    return ServedAttempt(state.attempt, isLast, lastFailure, sentNumber(state))
}

private fun isLast(setup: CallSetup, state: RetryState) = state.attempt >= state.options.attemptsOf(setup.policy)

private fun sentNumber(state: RetryState) = maxOf(state.attempt, state.options.served?.upstream?.attempt ?: 1)

/** The attempt of [state] that starts at [now], and may take what its policy and the call's deadline leave. */
internal fun watchedAttempt(
    setup: CallSetup,
    state: RetryState,
    lastFailure: Throwable?,
    events: CallEvents?,
    now: Long,
): WatchedAttempt {
    val policy = setup.policy
    val left = policy.deadlineOf(state.options).let { if (it == UNLIMITED_NANOS) it else it - (now - state.startedAt) }
    return WatchedAttempt(
        state.attempt,
        isLast(setup, state),
        lastFailure,
        sentNumber(state),
        events?.callId ?: 0,
        setup.clock,
        startedAt = now,
        limitNanos = policy.attemptTimeoutNanos(state.attempt),
        callNanos = left.coerceAtLeast(0),
    )
}
