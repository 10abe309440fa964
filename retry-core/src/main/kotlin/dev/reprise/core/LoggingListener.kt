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
import dev.reprise.core.shell.text.Log
import dev.reprise.core.shell.text.oneLine
import java.util.function.BiConsumer
import java.util.function.Supplier

/**
 * Logs every event in one line, by default to the `System.Logger` called `dev.reprise`. That writes to `java.util.logging` unless
 * the application brings a finder of its own, as SLF4J, Log4j and Logback do (`slf4j-jdk-platform-logging`, `log4j-jpl`).
 *
 * Levels: a call that gave up is a warning, or debug if its first attempt was rejected. Success after a retry is info.
 * Failed attempts, scheduled retries, waits, refusals, copies, unreadable server delays, a judged `Unit` and cancellation
 * are debug, the rest is trace. A line starts with the retrier's name in brackets, the call's operation, and a number that
 * all lines of one call share.
 *
 * A result is logged by its class, a response by its status and error code as well. Header values are never logged. An
 * exception is logged by the first line of its text, without the queries, fragments and passwords of URLs unless
 * [redact] is off. Safe for any number of threads.
 *
 * The function is called with a level, `TRACE`, `DEBUG`, `INFO` or `WARNING`, and with the line, which is made when it is asked
 * for: for other loggers. On Android the default is `java.util.logging`, which drops debug and trace.
 */
public class LoggingListener(private val redact: Boolean, private val log: BiConsumer<String, Supplier<String>>) :
    RetryListener {
    private val text = EventText(redact)

    /** Logs to the `System.Logger` called `dev.reprise`. */
    public constructor(redact: Boolean) : this(redact, toSystemLogger())

    /** Logs to the `System.Logger` called `dev.reprise`, redacted. */
    public constructor() : this(redact = true)

    override fun onEvent(event: RetryEvent): Unit = log.accept(levelOf(event)) { nameOf(event) + ": " + text.of(event) }

    private fun nameOf(event: RetryEvent): String = event.retrier?.let { "[" + oneLine(it, redact) + "] " }.orEmpty() +
        event.operation?.let { oneLine(it, redact) + " " }.orEmpty() + "#" + event.callId

    private fun levelOf(event: RetryEvent): String = when (event) {
        is CallStarted, is AttemptStarted, is QuotaTaken, is QuotaRefunded -> TRACE

        is PermitWaited, is AttemptFailed, is UnitJudged, is ServerDelayIgnored, is QuotaRefused -> DEBUG

        is RetryScheduled, is CallCancelled, is HedgeStarted, is HedgeRefused, is HedgeWon -> DEBUG

        is CallSucceeded -> if (event.attempts > 1) "INFO" else TRACE

        // One that was never retried is the caller's to tell.
        is CallGaveUp -> if (event.reason == StopReason.REJECTED && event.attempts <= 1) DEBUG else "WARNING"
    }
}

private const val TRACE = "TRACE"
private const val DEBUG = "DEBUG"

private fun toSystemLogger(): BiConsumer<String, Supplier<String>> {
    val log = Log.platforms()
    return BiConsumer { level, line -> log.log(level, line) }
}
