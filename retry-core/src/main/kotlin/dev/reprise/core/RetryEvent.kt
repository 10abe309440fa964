package dev.reprise.core

import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * Something that happened in a call. Every face delivers the same events in the same order with the same content. An
 * event is a value with no reference to the call. Events compare by content, without [callId], [retrier], an accepted result and
 * the properties that only HTTP faces know, so that the sequences of two faces can be compared.
 *
 * The events of one call always form a sentence of this grammar:
 *
 * ```
 * call   = CallStarted { failed RetryScheduled } end
 * failed = try { ServerDelayIgnored } AttemptFailed { QuotaTaken | QuotaRefused | QuotaRefunded }
 * try    = [ PermitWaited ] AttemptStarted [ [ QuotaTaken ] HedgeStarted | HedgeRefused ] [ UnitJudged ] [ HedgeWon ]
 * end    = try { QuotaRefunded } CallSucceeded
 *        | failed CallGaveUp
 *        | unsent CallGaveUp                   no time, no send permit, or code around the call threw
 *        | [ try | failed | unsent ] CallCancelled
 *        | try [ QuotaRefunded ] CallCancelled   the last attempt's work had not begun: it costs nothing
 * unsent = [ PermitWaited ] [ QuotaRefunded ]
 * ```
 *
 * There is one first and one last event, attempts count up from 1, and times never go back.
 */
public sealed class RetryEvent private constructor(source: Source, private vararg val facts: Any?) {
    /** When it happened, in ns of the retrier's clock. */
    public val atNanos: Long = source.at

    /** Identifies the call in this process: the same number for all events of one call, and for no other call. */
    public val callId: Long = source.callId

    /** The name of the call's retrier, or `null` if it has none. HTTP faces name theirs by host and port. */
    public val retrier: String? = source.retrier

    /** The operation that the call was given by its [CallOptions], or `null`. */
    public val operation: String? = source.operation

    /** The call begins. Always the first event. */
    public class CallStarted internal constructor(source: Source) : RetryEvent(source) {
        /** The method of the call's HTTP request, such as `GET`; `null` for a call that is no HTTP client's. */
        public val httpMethod: String? = source.target?.method

        /** The host of the call's HTTP request, without its port; `null` unless [httpMethod] is there. */
        public val serverAddress: String? = source.target?.host
    }

    /** A send permit was there after a wait; not told when it was there at once. */
    public class PermitWaited internal constructor(source: Source, internal val waitNanos: Long) :
        RetryEvent(source, waitNanos) {
        /** How long the call waited for the permit. */
        @get:JvmSynthetic public val wait: Duration get() = durationOf(waitNanos)

        /** How long the call waited for the permit. For Java. */
        public fun getWait(): JavaDuration = JavaDuration.ofNanos(waitNanos)
    }

    /** An attempt begins. */
    public class AttemptStarted internal constructor(
        source: Source,
        /** Its number, from 1. */
        public val attempt: Int,
    ) : RetryEvent(source, attempt)

    /**
     * A copy of the first attempt begins while the first execution is under way. If it cost tokens, a
     * [QuotaTaken] comes before.
     */
    public class HedgeStarted internal constructor(source: Source, internal val delayNanos: Long) :
        RetryEvent(source, delayNanos) {
        /** How long the attempt was under way. */
        @get:JvmSynthetic public val delay: Duration get() = durationOf(delayNanos)

        /** How long the attempt was under way. For Java. */
        public fun getDelay(): JavaDuration = JavaDuration.ofNanos(delayNanos)
    }

    /** The first attempt is slow, and gets no copy. */
    public class HedgeRefused internal constructor(
        source: Source,
        /** Why. */
        public val reason: HedgeRefusal,
    ) : RetryEvent(source, reason)

    /** The copy's outcome is the attempt's. Not told where the first execution won. */
    public class HedgeWon internal constructor(source: Source) : RetryEvent(source)

    /** An attempt ended with something that was not accepted. */
    public class AttemptFailed internal constructor(
        source: Source,
        /** Its number, from 1. */
        public val attempt: Int,
        /** The exception, or `null` if the attempt returned [result]. */
        public val failure: Throwable?,
        /** The result, or `null` if the attempt threw [failure]. */
        public val result: Any?,
        /** The classifier's verdict, with its reason. */
        public val verdict: Verdict,
    ) : RetryEvent(source, attempt, failure ?: result, verdict)

    /**
     * The policy judges results, and the attempt returned `Unit`, which is no result: where `Unit` is expected, as in the last
     * line of `launch { }`, Kotlin infers it. Told, and logged, once for each retrier. Take the result to have it judged:
     * `val done = retrier { work() }`.
     */
    public class UnitJudged internal constructor(
        source: Source,
        /** The attempt's number, from 1. */
        public val attempt: Int,
    ) : RetryEvent(source, attempt)

    /** A header in which a server asks for a delay was there and could not be read. */
    public class ServerDelayIgnored internal constructor(
        source: Source,
        /** The header. */
        public val header: ServerDelayHeader,
    ) : RetryEvent(source, header)

    /** Tokens were taken for a retry. */
    public class QuotaTaken internal constructor(
        source: Source,
        /** How many. */
        public val tokens: Int,
        /** How many are left. */
        public val available: Int,
        /** How many a full quota has, at the moment. */
        public val capacity: Int,
    ) : RetryEvent(source, tokens, available, capacity)

    /** The quota had too few tokens for a retry. */
    public class QuotaRefused internal constructor(
        source: Source,
        /** How many were asked for. */
        public val tokens: Int,
        /** How many there are. */
        public val available: Int,
        /** How many a full quota has, at the moment. */
        public val capacity: Int,
        /** The tokens that a call of this operation can spend. */
        public val operationAvailable: Int,
    ) : RetryEvent(source, tokens, available, capacity, operationAvailable) {
        /** Whether the operation had used up its share while the client had enough; read right after the refusal. */
        public val isOperationShare: Boolean get() = tokens <= available && tokens > operationAvailable
    }

    /** Tokens came back. */
    public class QuotaRefunded internal constructor(
        source: Source,
        /** How many. */
        public val tokens: Int,
        /** How many there are now. */
        public val available: Int,
        /** How many a full quota has, at the moment. */
        public val capacity: Int,
    ) : RetryEvent(source, tokens, available, capacity)

    /** Another attempt will follow after [delay]. */
    public class RetryScheduled internal constructor(
        source: Source,
        /** The number of the attempt that failed. */
        public val attempt: Int,
        /** The kind of its failure. */
        public val kind: FailureKind,
        internal val delayNanos: Long,
        internal val ceilingNanos: Long,
        internal val backoffNanos: Long,
        /** The delay that the server asked for, or `null`. */
        public val serverDelay: ServerDelay?,
    ) : RetryEvent(source, attempt, kind, delayNanos, ceilingNanos, backoffNanos, serverDelay) {
        /** The wait. */
        @get:JvmSynthetic public val delay: Duration get() = durationOf(delayNanos)

        /** The wait. For Java. */
        public fun getDelay(): JavaDuration = JavaDuration.ofNanos(delayNanos)

        /** The backoff's ceiling. */
        @get:JvmSynthetic public val ceiling: Duration get() = durationOf(ceilingNanos)

        /** The backoff's ceiling. For Java. */
        public fun getCeiling(): JavaDuration = JavaDuration.ofNanos(ceilingNanos)

        /** The backoff after jitter. */
        @get:JvmSynthetic public val backoff: Duration get() = durationOf(backoffNanos)

        /** The backoff after jitter. For Java. */
        public fun getBackoff(): JavaDuration = JavaDuration.ofNanos(backoffNanos)

        /** Whether the wait is shorter than the server asked for: the policy follows it only so far. */
        public val isClamped: Boolean get() = serverDelay != null && serverDelay.nanos > delayNanos
    }

    /** An outcome was accepted. A last event. */
    public class CallSucceeded internal constructor(
        source: Source,
        /** How many attempts were made. */
        public val attempts: Int,
        internal val totalDelayNanos: Long,
        /** The accepted result, or `null` if the accepted outcome is an exception. */
        public val result: Any? = null,
    ) : RetryEvent(source, attempts, totalDelayNanos) {
        /** All waits between attempts. */
        @get:JvmSynthetic public val totalDelay: Duration get() = durationOf(totalDelayNanos)

        /** All waits between attempts. For Java. */
        public fun getTotalDelay(): JavaDuration = JavaDuration.ofNanos(totalDelayNanos)
    }

    /** The call stopped without success. A last event. */
    public class CallGaveUp internal constructor(
        source: Source,
        /** How many attempts were made. */
        public val attempts: Int,
        internal val totalDelayNanos: Long,
        /** Why. */
        public val reason: StopReason,
        internal val lastDelayNanos: Long,
        internal val detail: String? = null,
        internal val last: Any? = null,
    ) : RetryEvent(source, attempts, totalDelayNanos, reason, lastDelayNanos) {
        /** How to make the call go on, in words; `null` unless a retrier below had given up. */
        public val advice: String? get() = reason.advice

        /** All waits between attempts. */
        @get:JvmSynthetic public val totalDelay: Duration get() = durationOf(totalDelayNanos)

        /** All waits between attempts. For Java. */
        public fun getTotalDelay(): JavaDuration = JavaDuration.ofNanos(totalDelayNanos)

        /** The caller's wait before the call returns: zero but for a long poll that the quota refused. */
        @get:JvmSynthetic public val lastDelay: Duration get() = durationOf(lastDelayNanos)

        /** The caller's wait before the call returns: zero but for a long poll that the quota refused. For Java. */
        public fun getLastDelay(): JavaDuration = JavaDuration.ofNanos(lastDelayNanos)
    }

    /** The caller cancelled, or was interrupted. A last event. */
    public class CallCancelled internal constructor(
        source: Source,
        /** How many attempts had begun their work. */
        public val attempts: Int,
    ) : RetryEvent(source, attempts)

    /** The call that events belong to, and the time of the next one. */
    internal class Source(
        val callId: Long,
        val retrier: String?,
        val operation: String?,
        val target: HttpTarget?,
        var at: Long,
    )

    final override fun equals(other: Any?): Boolean =
        other is RetryEvent && javaClass == other.javaClass && atNanos == other.atNanos &&
            operation == other.operation && facts.contentEquals(other.facts)

    final override fun hashCode(): Int =
        (javaClass.hashCode() * 31 + operation.hashCode()) * 31 + facts.contentHashCode()

    final override fun toString(): String = "${javaClass.simpleName} at ${briefText(atNanos)}: ${TEXT.of(this)}"
}

private val TEXT = EventText(redact = true)
