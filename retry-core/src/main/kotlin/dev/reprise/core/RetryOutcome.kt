package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.Marked
import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * How a call ended, returned instead of thrown. It has the facts of a [RetryTrace].
 * Cancellation is not an outcome: it is thrown. Immutable; compares by value, its [trace] aside.
 */
public sealed class RetryOutcome<out T>(
    /** How many attempts were made. */
    public val attempts: Int,
    internal val totalDelayNanos: Long,
    /** Why the call ended. */
    public val reason: StopReason,
    /** The call's trace; `null` if the first attempt was accepted, or the policy has traces off. */
    public val trace: RetryTrace?,
    mark: GiveUpMark?,
) : Marked {
    @ShellApi
    override val giveUpMark: GiveUpMark? = mark

    /** All waits between attempts. */
    @get:JvmSynthetic
    public val totalDelay: Duration get() = durationOf(totalDelayNanos)

    /** All waits between attempts. For Java. */
    public fun getTotalDelay(): JavaDuration = JavaDuration.ofNanos(totalDelayNanos)

    /**
     * The value. Throws the same exception as the throwing form of the call; from Java it does not declare a checked one,
     * so catch that as an `Exception`.
     */
    public abstract fun getOrThrow(): T

    /** An attempt returned a [value] that was accepted. */
    public class Success<out T> internal constructor(
        /** The result. */
        public val value: T,
        attempts: Int,
        totalDelayNanos: Long,
        trace: RetryTrace?,
    ) : RetryOutcome<T>(attempts, totalDelayNanos, StopReason.SUCCESS, trace, mark = null) {
        override fun getOrThrow(): T = value

        override fun toString(): String = "Success($value, $attempts attempts)"
    }

    /** The last attempt returned a [value] that was not accepted. */
    public class BadResult<out T> internal constructor(
        /** The last attempt's result. */
        public val value: T,
        attempts: Int,
        totalDelayNanos: Long,
        reason: StopReason,
        trace: RetryTrace?,
        internal val failure: Throwable?,
        mark: GiveUpMark? = null,
    ) : RetryOutcome<T>(attempts, totalDelayNanos, reason, trace, mark) {
        override fun getOrThrow(): T = if (failure != null) throw failure else value

        override fun toString(): String = "BadResult($value, $attempts attempts, $reason)"
    }

    /** The last attempt threw [failure]. */
    public class Failure internal constructor(
        /** The last attempt's own exception, with a suppressed [RetryTrace]. */
        public val failure: Throwable,
        attempts: Int,
        totalDelayNanos: Long,
        reason: StopReason,
        trace: RetryTrace?,
        mark: GiveUpMark? = null,
    ) : RetryOutcome<Nothing>(attempts, totalDelayNanos, reason, trace, mark) {
        override fun getOrThrow(): Nothing = throw failure

        override fun toString(): String = "Failure($failure, $attempts attempts, $reason)"
    }

    final override fun equals(other: Any?): Boolean = other is RetryOutcome<*> && facts() == other.facts()

    final override fun hashCode(): Int = facts().hashCode()

    private fun facts(): List<Any?> {
        val end = when (this) {
            is Success -> value
            is BadResult -> value
            is Failure -> failure
        }
        return listOf(javaClass, end, attempts, totalDelayNanos, reason)
    }
}
