package dev.reprise.core

import dev.reprise.core.backoff.nanosText

/**
 * What a call went through, attached as suppressed to what it throws: attempts, what each failed with, how long they
 * waited and why it stopped. It has no stack trace, and its size is bounded however many attempts there were: the first
 * and the last few are told, the ones between counted.
 */
public class RetryTrace internal constructor(
    /** How many attempts were made. */
    public val attempts: Int,
    /** Why the call ended. */
    public val reason: StopReason,
    /** All waits between attempts, in ns. */
    public val totalDelayNanos: Long,
    /** How long the call took, in ns, or -1: a call without deadline, listener and limiter never reads the clock. */
    public val elapsedNanos: Long,
    /** The attempts that are told one by one, in order. */
    public val failures: List<FailedAttempt>,
) : Throwable(message(attempts, reason, totalDelayNanos, elapsedNanos, failures), null, false, false) {
    override fun toString(): String = "RetryTrace: $message"

    public companion object {
        private const val serialVersionUID = 1L

        /** Of each call, the first so many failures are told. */
        internal const val KEPT_FIRST = 4

        /** And the last so many. */
        internal const val KEPT_LAST = 8

        /** An exception that many calls share does not collect traces without end. */
        private const val MOST_TRACES = 4

        /** The trace that [failure] carries, the newest if there are several, or `null`. */
        @JvmStatic
        public fun of(failure: Throwable): RetryTrace? = failure.suppressed.filterIsInstance<RetryTrace>().lastOrNull()

        internal fun attach(failure: Throwable, trace: RetryTrace) {
            if (failure.suppressed.count { it is RetryTrace } < MOST_TRACES) failure.addSuppressed(trace)
        }

        private fun message(
            attempts: Int,
            reason: StopReason,
            totalDelayNanos: Long,
            elapsedNanos: Long,
            failures: List<FailedAttempt>,
        ) = buildString {
            append(attempts).append(if (attempts == 1) " attempt" else " attempts")
            append(", stopped: ").append(reason)
            append(", waited ").append(nanosText(totalDelayNanos))
            if (elapsedNanos >= 0) append(", took ").append(nanosText(elapsedNanos))
            var previous = 0
            for (failure in failures) {
                val between = failure.number - previous - 1
                if (between > 0) append("\n    (").append(between).append(" more)")
                append("\n    ").append(failure)
                previous = failure.number
            }
        }
    }
}

/** One line of a [RetryTrace]. Immutable. */
public class FailedAttempt internal constructor(
    /** The attempt's number, from 1. */
    public val number: Int,
    /** What it failed with: the exception, or the bad result, as text of bounded length. */
    public val what: String,
    /** The wait that followed, in ns; 0 after the last one. */
    public val delayNanos: Long,
) {
    override fun toString(): String =
        "attempt $number: $what" + if (delayNanos > 0) ", then waited ${nanosText(delayNanos)}" else ""

    internal companion object {
        private const val LONGEST = 160

        fun describe(outcome: Any?): String {
            // An exception or a result may do anything when asked for its text; a trace must not fail for that.
            val text =
                try {
                    if (outcome is Throwable) outcome.toString() else "result $outcome"
                } catch (_: Exception) {
                    outcome?.javaClass?.name.toString()
                }
            val line = text.lineSequence().first()
            return if (line.length <= LONGEST) line else line.take(LONGEST) + "..."
        }
    }
}
