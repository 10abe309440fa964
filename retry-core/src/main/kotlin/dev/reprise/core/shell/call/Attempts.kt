package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.time.UNLIMITED_NANOS

/** The attempt of [state] of a call without listener and limit. */
internal open class PlainAttempt(
    val setup: CallSetup,
    val state: RetryState,
    final override val lastFailure: Throwable?,
) : Attempt {
    final override val number: Int get() = state.attempt
    final override val sentNumber: Int get() = maxOf(number, state.options.served?.attempt ?: 1)
    final override val isLast: Boolean get() = number >= state.options.attemptsOf(setup.policy)
    override val timeLeftNanos: Long get() = UNLIMITED_NANOS
    override val callId: Long get() = 0

    override fun toString(): String = "attempt $number"
}

/** An attempt, begun at [startedAt], of a call that has a listener or a limit: may take what its policy and the call leave. */
internal class WatchedAttempt(
    setup: CallSetup,
    state: RetryState,
    lastFailure: Throwable?,
    override val callId: Long,
    val startedAt: Long,
) : PlainAttempt(setup, state, lastFailure) {
    private val timeoutNanos = setup.policy.attemptTimeoutNanos(number)

    /** How long its call may still take, in ns from its start. */
    private val callNanos = setup.policy.deadlineOf(state.options).let {
        if (it == UNLIMITED_NANOS) it else (it - (startedAt - state.startedAt)).coerceAtLeast(0)
    }

    override val limitNanos: Long get() = minOf(timeoutNanos, callNanos)

    @Volatile
    private var pausedNanos = 0L

    override val timeLeftNanos: Long
        get() {
            if (limitNanos == UNLIMITED_NANOS) return UNLIMITED_NANOS
            val taken = setup.clock.nanoTime() - startedAt
            return minOf(left(timeoutNanos, taken - pausedNanos), left(callNanos, taken))
        }

    override val callTimeLeftNanos: Long
        get() = if (callNanos == UNLIMITED_NANOS) callNanos else left(callNanos, setup.clock.nanoTime() - startedAt)

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
