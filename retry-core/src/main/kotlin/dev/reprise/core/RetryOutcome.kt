package dev.reprise.core

/**
 * How a call ended, for those who would rather look than catch. Cancellation is not an outcome: it is thrown.
 */
public sealed class RetryOutcome<out T>(
    /** How many attempts were made. */
    public val attempts: Int,
    /** All waits between attempts, in ns. */
    public val totalDelayNanos: Long,
    /** Why the call ended. */
    public val reason: StopReason,
) {
    /** The value, or whatever the throwing form of the call would have thrown. */
    public abstract fun getOrThrow(): T

    /** An attempt returned a [value] that was accepted. */
    public class Success<out T>(
        /** The result. */
        public val value: T,
        attempts: Int,
        totalDelayNanos: Long,
    ) : RetryOutcome<T>(attempts, totalDelayNanos, StopReason.SUCCESS) {
        override fun getOrThrow(): T = value

        override fun toString(): String = "Success($value, $attempts attempts)"
    }

    /** The last attempt returned a [value] that was not accepted. */
    public class BadResult<out T>(
        /** The last attempt's result. */
        public val value: T,
        attempts: Int,
        totalDelayNanos: Long,
        reason: StopReason,
        private val throws: Boolean,
    ) : RetryOutcome<T>(attempts, totalDelayNanos, reason) {
        override fun getOrThrow(): T = if (throws) throw BadResultException(value, attempts, reason) else value

        override fun toString(): String = "BadResult($value, $attempts attempts, $reason)"
    }

    /** The last attempt threw [failure]. */
    public class Failure(
        /** The last attempt's own exception, with a suppressed [RetryTrace]. */
        public val failure: Throwable,
        attempts: Int,
        totalDelayNanos: Long,
        reason: StopReason,
    ) : RetryOutcome<Nothing>(attempts, totalDelayNanos, reason) {
        override fun getOrThrow(): Nothing = throw failure

        override fun toString(): String = "Failure($failure, $attempts attempts, $reason)"
    }
}
