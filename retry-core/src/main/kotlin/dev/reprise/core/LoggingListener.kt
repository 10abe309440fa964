package dev.reprise.core

import dev.reprise.core.RetryEvent.AttemptFailed
import dev.reprise.core.RetryEvent.AttemptStarted
import dev.reprise.core.RetryEvent.CallCancelled
import dev.reprise.core.RetryEvent.CallGaveUp
import dev.reprise.core.RetryEvent.CallStarted
import dev.reprise.core.RetryEvent.CallSucceeded
import dev.reprise.core.RetryEvent.PermitWaited
import dev.reprise.core.RetryEvent.QuotaRefunded
import dev.reprise.core.RetryEvent.QuotaRefused
import dev.reprise.core.RetryEvent.QuotaTaken
import dev.reprise.core.RetryEvent.RetryScheduled
import dev.reprise.core.RetryEvent.ServerDelayIgnored
import dev.reprise.core.RetryEvent.UnitJudged
import dev.reprise.core.check.WarningLog
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.text.oneLine
import dev.reprise.core.text.outcomeText
import dev.reprise.core.time.briefText
import java.lang.System.Logger.Level

/**
 * Logs every event in one line. `System.Logger` goes to `java.util.logging` unless the application brings a finder of its
 * own, as SLF4J, Log4j and Logback do (`slf4j-jdk-platform-logging`, `log4j-jpl`).
 *
 * Levels: a call that gave up is a warning, unless its first attempt was rejected, which is no matter of retries; success
 * after a retry is info; failed attempts, scheduled retries, waits, refusals and cancellation are debug; the rest is trace.
 * A line starts with the call's operation and a number that all lines of one call share.
 *
 * Results are never logged, only their class; neither are header values, and of a response only status and error code. Of an
 * exception the first line of its text is logged; unless [redact] is off, queries, fragments and passwords of URLs are left
 * out of it. Safe for any number of threads.
 */
public class LoggingListener(private val logger: System.Logger, private val redact: Boolean) : RetryListener {
    /** Logs to the logger [LOGGER], redacted. */
    public constructor() : this(System.getLogger(LOGGER))

    /** Logs to [logger], redacted. */
    public constructor(logger: System.Logger) : this(logger, redact = true)

    override fun onEvent(event: RetryEvent) {
        val level = levelOf(event)
        if (logger.isLoggable(level)) logger.log(level, nameOf(event) + ": " + lineOf(event))
    }

    private fun nameOf(event: RetryEvent): String =
        event.operation?.let { oneLine(it, redact) + " " }.orEmpty() + "#" + event.callId

    private fun lineOf(event: RetryEvent): String = when (event) {
        is CallStarted -> "starts"

        is PermitWaited -> "waited ${briefText(event.waitNanos)} for a send permit"

        is AttemptStarted -> "attempt ${event.attempt} starts"

        is AttemptFailed -> "attempt ${event.attempt} failed (${inWords(event.verdict)}): ${whatOf(event)}"

        is UnitJudged -> "attempt ${event.attempt} returned Unit, which is no result to judge"

        is ServerDelayIgnored -> "the header ${event.header.headerName} cannot be read and is ignored"

        is QuotaTaken -> "took ${event.tokens} quota tokens, ${event.available} left"

        is QuotaRefused -> "the quota refused ${event.tokens} tokens, ${refuser(event)}"

        is QuotaRefunded -> "gave back ${event.tokens} quota tokens, ${event.available} now"

        is RetryScheduled -> "attempt ${event.attempt + 1} follows in ${delayOf(event)}"

        is CallSucceeded -> "succeeded ${inAttempts(event.attempts, event.totalDelayNanos)}"

        is CallGaveUp -> "gave up ${inAttempts(event.attempts, event.totalDelayNanos)}: ${event.reason}" +
            event.advice?.let { ", $it" }.orEmpty()

        is CallCancelled -> "cancelled ${inAttempts(event.attempts, 0)}"
    }

    /** Whose tokens were too few: the operation's, or all that the client has. */
    private fun refuser(event: QuotaRefused): String = if (event.isOperationShare) {
        "the operation has ${event.operationAvailable} of the client's ${event.available}"
    } else {
        "it has ${event.available} of ${event.capacity}"
    }

    private fun inWords(verdict: Verdict): String = when (verdict) {
        Verdict.Accept -> "accepted"

        Verdict.Reject -> "not retryable"

        is Verdict.Retry ->
            verdict.kind.word +
                if (verdict.why == verdict.kind.word) "" else ": ${oneLine(verdict.why)}"
    }

    private fun whatOf(event: AttemptFailed): String {
        val result = event.result
        return when {
            event.failure != null -> oneLine(event.failure, redact)
            result is HttpOutcome -> outcomeText(result)
            else -> "result of " + (result?.javaClass?.name ?: "null")
        }
    }

    private fun delayOf(event: RetryScheduled): String = buildString {
        append(briefText(event.delayNanos))
        append(" (backoff ").append(briefText(event.backoffNanos))
        append(" of at most ").append(briefText(event.ceilingNanos))
        event.serverDelay?.let { append(", the server asks for ").append(briefText(it.nanos)) }
        if (event.isClamped) append(", cut")
        append(')')
    }

    private fun inAttempts(attempts: Int, delayNanos: Long): String =
        (if (attempts == 1) "in 1 attempt" else "in $attempts attempts") +
            if (delayNanos > 0) ", waited ${briefText(delayNanos)} between them" else ""

    private fun levelOf(event: RetryEvent): Level = when (event) {
        is CallStarted, is AttemptStarted, is QuotaTaken, is QuotaRefunded -> Level.TRACE
        is PermitWaited, is AttemptFailed, is UnitJudged, is ServerDelayIgnored, is QuotaRefused -> Level.DEBUG
        is RetryScheduled, is CallCancelled -> Level.DEBUG
        is CallSucceeded -> if (event.attempts > 1) Level.INFO else Level.TRACE
        is CallGaveUp -> if (wasNeverRetried(event)) Level.DEBUG else Level.WARNING
    }

    private fun wasNeverRetried(event: CallGaveUp) = event.reason == StopReason.REJECTED && event.attempts <= 1

    public companion object {
        /** The name of the logger that is used unless another is given. */
        public const val LOGGER: String = WarningLog.LOGGER
    }
}
