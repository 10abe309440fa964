package dev.reprise.core.shell.machine

import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.NextRetry
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.saturatingAdd

/**
 * One call in progress: the attempt that comes next, runs, or has just ended. An immutable snapshot that [RetryMachine]
 * makes and takes; as a [Decision] it means: wait [delayNanos], then make this [attempt].
 */
@ShellApi
public class RetryState private constructor(
    /** When the call began, on the shell's clock, in ns; looked at only where there is a deadline. */
    public val startedAt: Long,
    /** The caller's options. */
    public val options: CallOptions,
    /** The number of the attempt, from 1. */
    public val attempt: Int,
    /** The wait before this attempt in ns; negative for the first attempt, which has none. */
    public val delayNanos: Long,
    /** All waits so far in ns, this one among them. */
    public val totalDelayNanos: Long,
    /** The tokens that the last retry took. They come back if it succeeds or never begins. */
    public val lastCost: Int,
    /** The attempt from which the backoff counts: 1, or the first after the server's last exact delay. */
    private val backoffFrom: Int,
) : Decision {
    /** Whether the shell read its clock when the call began. */
    internal val isTimed: Boolean get() = startedAt != UNCLOCKED

    /** The index of the retry that would come next: 0 before the second attempt, and after a server's exact delay. */
    public val retryIndex: Int get() = attempt - backoffFrom

    /** The wait that the next backoff grows from; negative if it starts from its base. */
    internal val backoffNanos: Long get() = if (retryIndex == 0) -1 else delayNanos

    /**
     * The state of the next attempt, which follows after [delayNanos] and whose success gives back [lastCost] tokens. The
     * backoff counts on, or [restarts].
     */
    internal fun next(delayNanos: Long, lastCost: Int, restarts: Boolean = false): RetryState {
        val total = saturatingAdd(totalDelayNanos, delayNanos)
        val from = if (restarts) attempt + 1 else backoffFrom
        return RetryState(startedAt, options, attempt + 1, delayNanos, total, lastCost, from)
    }

    /** This state of a call whose wait has not begun, and will not. */
    internal fun unwaited(): RetryState =
        RetryState(startedAt, options, attempt, 0, totalDelayNanos - delayNanos, lastCost, backoffFrom)

    /** This state of a call that waits [nanos] longer. */
    internal fun waitsOn(nanos: Long): RetryState {
        val total = saturatingAdd(totalDelayNanos, nanos)
        return RetryState(startedAt, options, attempt, delayNanos, total, lastCost, backoffFrom)
    }

    /** This state of a call whose copy took [tokens] too. */
    internal fun withCopy(tokens: Int): RetryState =
        RetryState(startedAt, options, attempt, delayNanos, totalDelayNanos, lastCost + tokens, backoffFrom)

    /** This state of a call that is a long poll. */
    internal fun longPoll(): RetryState =
        RetryState(startedAt, options.asLongPoll(), attempt, delayNanos, totalDelayNanos, lastCost, backoffFrom)

    /** The data of the next retry after an attempt that gave [failure] or [result], for a user's own backoff function. */
    internal fun upcoming(kind: FailureKind, failure: Throwable?, result: Any?, now: Long): NextRetry = NextRetry(
        retryIndex,
        kind,
        failure,
        result,
        elapsedNanos = if (isTimed) maxOf(0, now - startedAt) else 0,
        previousNanos = delayNanos,
    )

    override fun equals(other: Any?): Boolean = other is RetryState && members() == other.members()

    override fun hashCode(): Int = members().hashCode()

    private fun members() = listOf(startedAt, options, attempt, delayNanos, totalDelayNanos, lastCost, backoffFrom)

    override fun toString(): String = "RetryState(attempt $attempt, waits ${nanosText(delayNanos)}, " +
        "waited ${nanosText(totalDelayNanos)} in all, last cost $lastCost)"

    public companion object {
        /** When a call began that reads no clock. No clock's reading is this. */
        internal const val UNCLOCKED = Long.MIN_VALUE

        /** The state of a call during its first attempt. */
        @JvmStatic
        @JvmOverloads
        public fun first(startedAt: Long = 0, options: CallOptions = CallOptions.DEFAULT): RetryState =
            RetryState(startedAt, options, 1, -1, 0, 0, backoffFrom = 1)
    }
}
