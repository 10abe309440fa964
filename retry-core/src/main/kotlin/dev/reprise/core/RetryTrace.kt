package dev.reprise.core

import dev.reprise.core.shell.causeOf
import dev.reprise.core.shell.layers.CallPlace
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * The history of a call, suppressed in the exception that the call throws: the attempts and their failures, the waits,
 * the reason for the end. It has no stack trace. Its size is bounded: it lists the first and the last few attempts, and
 * counts the ones between.
 *
 * An exception that was made without suppression carries no trace. An exception object that many calls throw, such as a
 * constant, carries the traces of the first few calls only; [RetryOutcome] has the right one in any case.
 */
public class RetryTrace internal constructor(
    /** The name of the retrier, or `null` if it has none. */
    public val retrier: String?,
    /** How many attempts were made. */
    public val attempts: Int,
    /** Why the call ended. */
    public val reason: StopReason,
    /** The rule that rejected, or the tokens that the quota lacked; `null` if [reason] says all. */
    public val detail: String?,
    private val totalDelayNanos: Long,
    private val elapsedNanos: Long,
    private val last: FailedAttempt?,
    tick: Long = 0,
    place: CallPlace? = null,
) : GiveUpMark(tick, place) {
    /** The thread that the call ended on. */
    @Transient
    private val endedOn: Int = Moments.thread()

    /** The attempts that are listed one by one, in order. */
    public val failures: List<FailedAttempt> get() = last?.listed().orEmpty()

    /** All waits between attempts. */
    @get:JvmSynthetic
    public val totalDelay: Duration get() = durationOf(totalDelayNanos)

    /** All waits between attempts. For Java. */
    public fun getTotalDelay(): JavaDuration = JavaDuration.ofNanos(totalDelayNanos)

    /**
     * How long the call took, or `null` if that is not known: a call without deadline, listener and limiter reads no clock.
     */
    @get:JvmSynthetic
    public val elapsed: Duration? get() = if (elapsedNanos < 0) null else durationOf(elapsedNanos)

    /**
     * How long the call took, or `null` if that is not known: a call without deadline, listener and limiter reads no clock.
     * For Java.
     */
    public fun getElapsed(): JavaDuration? = if (elapsedNanos < 0) null else JavaDuration.ofNanos(elapsedNanos)

    /** The whole trace as text: a line for the call, and one for each of [failures]. */
    override val message: String
        get() =
            buildString {
                retrier?.let { append(oneLine(it)).append(": ") }
                append(callText(attempts, reason, detail, totalDelayNanos))
                if (elapsedNanos >= 0) append(", took ").append(briefText(elapsedNanos))
                var previous = 0
                for (failure in failures) {
                    val between = failure.number - previous - 1
                    if (between > 0) append("\n    (").append(between).append(" more)")
                    append("\n    ").append(failure)
                    previous = failure.number
                }
                reason.advice?.let { append("\n    ").append(it) }
            }

    override fun toString(): String = "RetryTrace: $message"

    public companion object {
        private const val serialVersionUID = 1L

        /** Stands for a time that is not known. */
        internal const val UNKNOWN = -1L

        /** How many wrappers [of] looks into. */
        private const val MOST_WRAPPERS = 10

        /**
         * Returns the newest trace that [failure] carries, or that of its nearest cause with one, since futures and
         * coroutines wrap exceptions; also that of the response which the exception of an HTTP client stands for. `null` if there is
         * none. If several calls threw [failure], those that ended on this thread come first; [RetryOutcome] is right on any thread.
         */
        @JvmStatic
        public fun of(failure: Throwable): RetryTrace? = generateSequence(failure) { causeOf(it) }
            .take(MOST_WRAPPERS)
            .firstNotNullOfOrNull {
                of(it.suppressed.filterIsInstance<RetryTrace>())
                    ?: MarkCarriers.attachedTo(it) as? RetryTrace
            }

        private fun of(traces: List<RetryTrace>): RetryTrace? {
            val here = Moments.thread()
            return traces.lastOrNull { it.endedOn == here } ?: traces.lastOrNull()
        }
    }
}

/** The number of [attempts] in words: `1 attempt`, `2 attempts`. */
internal fun attemptsText(attempts: Int): String = if (attempts == 1) "1 attempt" else "$attempts attempts"

/** A call in one line: [attempts], the [reason] for its end with a [detail], and all its waits. */
internal fun callText(attempts: Int, reason: StopReason, detail: String?, totalDelayNanos: Long): String =
    "${attemptsText(attempts)}, stopped: $reason" + detail?.let { " ($it)" }.orEmpty() +
        ", waited ${briefText(totalDelayNanos)}"
