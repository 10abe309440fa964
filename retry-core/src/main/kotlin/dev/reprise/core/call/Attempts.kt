package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.machine.RetryState
import dev.reprise.core.time.NanoClock
import dev.reprise.core.time.UNLIMITED_NANOS

/** An attempt of a call without listener and limit. The first one is made once for each policy. */
internal class PlainAttempt(
    override val number: Int,
    override val isLast: Boolean,
    override val lastFailure: Throwable?,
) : Attempt {
    override val timeLeftNanos: Long get() = UNLIMITED_NANOS
    override val callId: Long get() = 0

    override fun toString(): String = "attempt $number"
}

/** An attempt of a call that has a listener or a limit. */
internal class WatchedAttempt(
    override val number: Int,
    override val isLast: Boolean,
    override val lastFailure: Throwable?,
    override val callId: Long,
    private val clock: NanoClock,
    private val startedAt: Long,
    /** How long it may take, in ns. */
    private val limitNanos: Long,
) : Attempt {
    override val timeLeftNanos: Long
        get() {
            if (limitNanos == UNLIMITED_NANOS) return UNLIMITED_NANOS
            return (limitNanos - (clock.nanoTime() - startedAt)).coerceIn(0, limitNanos)
        }

    override fun toString(): String = "attempt $number"
}

/** The attempt of [state], without listener and limit. */
internal fun plainAttempt(setup: CallSetup, state: RetryState, lastFailure: Throwable?): Attempt =
    PlainAttempt(state.attempt, state.attempt >= setup.policy.maxAttempts, lastFailure)

/** The attempt of [state] that starts at [now], and may take what its policy and the call's deadline leave. */
internal fun watchedAttempt(
    setup: CallSetup,
    state: RetryState,
    lastFailure: Throwable?,
    events: CallEvents?,
    now: Long,
): Attempt {
    val policy = setup.policy
    val left = policy.deadlineOf(state.options).let { if (it == UNLIMITED_NANOS) it else it - (now - state.startedAt) }
    val limit = minOf(left.coerceAtLeast(0), policy.attemptTimeoutNanos)
    val isLast = state.attempt >= policy.maxAttempts
    return WatchedAttempt(state.attempt, isLast, lastFailure, events?.callId ?: 0, setup.clock, now, limit)
}
