package dev.reprise.ktor

import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.time.briefText
import io.ktor.client.HttpClient
import io.ktor.client.plugins.ResponseException
import io.ktor.client.request.HttpRequestPipeline
import io.ktor.client.statement.HttpResponse
import io.ktor.util.AttributeKey
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/** How a response came about. Immutable. */
public class RetryReport private constructor(
    /** How many attempts were made. */
    public val attempts: Int,
    /** All waits between attempts. */
    public val totalDelay: Duration,
    /** Why the call ended. */
    public val reason: StopReason,
    /** Every attempt, one by one; `null` if the first one succeeded, or the policy makes no traces. */
    public val trace: RetryTrace?,
) {
    internal constructor(outcome: RetryOutcome<*>) : this(
        outcome.attempts,
        outcome.totalDelayNanos.nanoseconds,
        outcome.reason,
        outcome.trace,
    )

    override fun toString(): String = "$attempts attempts, waited ${briefText(totalDelay.inWholeNanoseconds)}, $reason"

    internal companion object {
        val KEY: AttributeKey<RetryReport> = AttributeKey("RepriseReport")
        val FIRST_TRY = RetryReport(1, Duration.ZERO, StopReason.SUCCESS, null)
    }
}

/** How this response came about: attempts, waits, and why there were no more. Without the plugin: one successful attempt. */
public val HttpResponse.retryReport: RetryReport
    get() = call.attributes.getOrNull(RetryReport.KEY) ?: RetryReport.FIRST_TRY

/** With `expectSuccess` the last response ends as an exception, made outside of the plugin: it gets the trace here. */
internal fun attachTraces(client: HttpClient) = client.requestPipeline.intercept(HttpRequestPipeline.Before) {
    try {
        proceed()
    } catch (e: ResponseException) {
        if (RetryTrace.of(e) == null) e.response.retryReport.trace?.let(e::addSuppressed)
        throw e
    }
}
