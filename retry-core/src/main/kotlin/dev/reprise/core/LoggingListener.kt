package dev.reprise.core

import dev.reprise.core.RetryEvent.AttemptFailed
import dev.reprise.core.RetryEvent.AttemptStarted
import dev.reprise.core.RetryEvent.CallCancelled
import dev.reprise.core.RetryEvent.CallGaveUp
import dev.reprise.core.RetryEvent.CallStarted
import dev.reprise.core.RetryEvent.CallSucceeded
import dev.reprise.core.RetryEvent.HedgeRefused
import dev.reprise.core.RetryEvent.HedgeStarted
import dev.reprise.core.RetryEvent.HedgeWon
import dev.reprise.core.RetryEvent.PermitWaited
import dev.reprise.core.RetryEvent.QuotaRefunded
import dev.reprise.core.RetryEvent.QuotaRefused
import dev.reprise.core.RetryEvent.QuotaTaken
import dev.reprise.core.RetryEvent.RetryScheduled
import dev.reprise.core.RetryEvent.ServerDelayIgnored
import dev.reprise.core.RetryEvent.UnitJudged
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.text.oneLine
import java.lang.System.Logger.Level

/**
 * Logs every event in one line. `System.Logger` writes to `java.util.logging` unless the application brings a finder of
 * its own, as SLF4J, Log4j and Logback do (`slf4j-jdk-platform-logging`, `log4j-jpl`).
 *
 * Levels: a call that gave up is a warning, or debug if its first attempt was rejected. Success after a retry is info.
 * Failed attempts, scheduled retries, waits, refusals, copies, unreadable server delays, a judged `Unit` and cancellation
 * are debug, the rest is trace. A line starts with the retrier's name in brackets, the call's operation, and a number that
 * all lines of one call share.
 *
 * A result is logged by its class, a response by its status and error code as well. Header values are never logged. An
 * exception is logged by the first line of its text, without the queries, fragments and passwords of URLs unless
 * [redact] is off. Safe for any number of threads.
 */
public class LoggingListener(private val logger: System.Logger, private val redact: Boolean) : RetryListener {
    private val text = EventText(redact)

    /** Logs to the logger [LOGGER], redacted. */
    public constructor() : this(System.getLogger(LOGGER))

    /** Logs to [logger], redacted. */
    public constructor(logger: System.Logger) : this(logger, redact = true)

    override fun onEvent(event: RetryEvent) {
        val level = levelOf(event)
        if (logger.isLoggable(level)) logger.log(level, nameOf(event) + ": " + text.of(event))
    }

    private fun nameOf(event: RetryEvent): String = event.retrier?.let { "[" + oneLine(it, redact) + "] " }.orEmpty() +
        event.operation?.let { oneLine(it, redact) + " " }.orEmpty() + "#" + event.callId

    private fun levelOf(event: RetryEvent): Level = when (event) {
        is CallStarted, is AttemptStarted, is QuotaTaken, is QuotaRefunded -> Level.TRACE
        is PermitWaited, is AttemptFailed, is UnitJudged, is ServerDelayIgnored, is QuotaRefused -> Level.DEBUG
        is RetryScheduled, is CallCancelled, is HedgeStarted, is HedgeRefused, is HedgeWon -> Level.DEBUG
        is CallSucceeded -> if (event.attempts > 1) Level.INFO else Level.TRACE
        is CallGaveUp -> if (wasNeverRetried(event)) Level.DEBUG else Level.WARNING
    }

    private fun wasNeverRetried(event: CallGaveUp) = event.reason == StopReason.REJECTED && event.attempts <= 1

    public companion object {
        /** The name of the logger that is used unless another is given. */
        public const val LOGGER: String = WarningLog.LOGGER
    }
}
