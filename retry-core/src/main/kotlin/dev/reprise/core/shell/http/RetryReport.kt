package dev.reprise.core.shell.http

import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.callText
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.Marked
import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/** How an HTTP response came about: attempts, waits, and why there were no more. Immutable. */
public class RetryReport private constructor(
    /** How many attempts were made. */
    public val attempts: Int,
    /**
     * How many requests were sent, as far as responses tell: the attempts, and the redirects, answers to challenges and
     * repeats of its own that the client made within them.
     */
    public val requests: Int,
    private val totalDelayNanos: Long,
    /** Why the call ended. */
    public val reason: StopReason,
    /** Every attempt, one by one; `null` if the first one succeeded, or the policy makes no traces. */
    public val trace: RetryTrace?,
    mark: GiveUpMark?,
) : Marked {
    @ShellApi
    override val giveUpMark: GiveUpMark? = mark

    /** The report of the call that ended with [outcome], for which [requests] were sent. */
    @ShellApi
    @JvmOverloads
    public constructor(outcome: RetryOutcome<*>, requests: Int = outcome.attempts) :
        this(outcome.attempts, requests, outcome.totalDelayNanos, outcome.reason, outcome.trace, outcome.giveUpMark)

    /** The throwable to add as suppressed to an exception that is made of the response: the trace, or a bare mark. */
    @ShellApi
    public val suppressed: Throwable? get() = trace ?: giveUpMark

    /** All waits between attempts. */
    @get:JvmSynthetic
    public val totalDelay: Duration get() = durationOf(totalDelayNanos)

    /** All waits between attempts. For Java. */
    public fun getTotalDelay(): JavaDuration = JavaDuration.ofNanos(totalDelayNanos)

    /** The call in one line, with the rule that stopped it if there is a [trace]. */
    override fun toString(): String = callText(attempts, reason, trace?.detail, totalDelayNanos)

    public companion object {
        /** The report of a response whose first attempt was accepted, or that came without retries. */
        @ShellApi
        @JvmField
        public val FIRST_TRY: RetryReport = firstTry(requests = 1)

        /** The same of a first attempt that took several [requests]. */
        @ShellApi
        @JvmStatic
        public fun firstTry(requests: Int): RetryReport = RetryReport(1, requests, 0, StopReason.SUCCESS, null, null)
    }
}
