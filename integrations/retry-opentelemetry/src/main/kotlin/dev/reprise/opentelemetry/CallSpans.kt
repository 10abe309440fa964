package dev.reprise.opentelemetry

import dev.reprise.core.HttpFailure
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.backoffNanos
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.waitNanos
import dev.reprise.core.shell.values.word
import io.opentelemetry.api.common.Attributes
import io.opentelemetry.api.trace.Span
import io.opentelemetry.api.trace.StatusCode
import io.opentelemetry.api.trace.Tracer
import io.opentelemetry.context.Context

/** The spans of one call. Confined to its call, but for [attemptContext], which other threads of an attempt may read. */
internal class CallSpans(private val tracer: Tracer, event: RetryEvent.CallStarted) {
    private val span = tracer.spanBuilder(event.operation ?: "call").startSpan().also { span ->
        event.retrier?.let { span.setAttribute(Keys.CLIENT, it) }
        event.httpMethod?.let { span.setAttribute(Keys.HTTP_METHOD, knownMethod(it)) }
        event.serverAddress?.let { span.setAttribute(Keys.SERVER_ADDRESS, it) }
    }
    private val context = Context.current().with(span)
    private var attempt: Span = Span.getInvalid()

    /** The context of the last attempt, running or ended; before the first attempt, the context of the call. */
    @Volatile
    var attemptContext: Context = context
        private set

    fun record(event: RetryEvent) {
        when (event) {
            is RetryEvent.AttemptStarted -> attemptStarted(event)

            is RetryEvent.AttemptFailed -> attemptFailed(event)

            is RetryEvent.PermitWaited -> span.addEvent("reprise.permit.waited", delay(event.waitNanos))

            is RetryEvent.RetryScheduled -> retryScheduled(event)

            is RetryEvent.QuotaRefused -> quotaRefused(event)

            is RetryEvent.HedgeStarted -> span.addEvent("reprise.hedge.started", delay(event.delayNanos))

            is RetryEvent.HedgeWon -> span.addEvent("reprise.hedge.won")

            is RetryEvent.HedgeRefused ->
                span.addEvent("reprise.hedge.refused", Attributes.of(Keys.REASON, event.reason.word))

            is RetryEvent.CallSucceeded -> end(event.attempts, StopReason.SUCCESS)

            is RetryEvent.CallGaveUp -> gaveUp(event)

            is RetryEvent.CallCancelled -> end(event.attempts, StopReason.CANCELLED)

            else -> Unit
        }
    }

    private fun attemptStarted(event: RetryEvent.AttemptStarted) {
        val builder = tracer.spanBuilder("attempt").setParent(context)
        builder.setAttribute(Keys.ATTEMPT_NUMBER, event.attempt.toLong())
        attempt = builder.startSpan()
        val own = context.with(attempt)
        attemptContext = if (event.attempt > 1) own.with(Resends.KEY, event.attempt - 1L) else own
    }

    private fun attemptFailed(event: RetryEvent.AttemptFailed) {
        val response = event.result as? HttpOutcome ?: (event.failure as? HttpFailure)?.http
        if (response != null) attempt.setAttribute(Keys.STATUS_CODE, response.status.toLong())
        val type = response?.status?.toString() ?: (event.failure ?: event.result)?.javaClass?.name ?: "null"
        attempt.setAttribute(Keys.ERROR_TYPE, type)
        (event.verdict as? Verdict.Retry)?.let { attempt.setAttribute(Keys.FAILURE_KIND, it.kind.name.lowercase()) }
        attempt.setStatus(StatusCode.ERROR)
        attempt.end()
    }

    private fun retryScheduled(event: RetryEvent.RetryScheduled) {
        val attributes = Attributes.builder().put(Keys.DELAY, seconds(event.delayNanos))
        attributes.put(Keys.BACKOFF, seconds(event.backoffNanos))
        event.serverDelay?.let { attributes.put(Keys.SERVER_DELAY, seconds(it.delay.inWholeNanoseconds)) }
        span.addEvent("reprise.retry.scheduled", attributes.build())
    }

    private fun quotaRefused(event: RetryEvent.QuotaRefused) {
        val attributes = Attributes.builder()
            .put(Keys.QUOTA_AVAILABLE, event.available.toLong())
            .put(Keys.QUOTA_CAPACITY, event.capacity.toLong())
            .put(Keys.QUOTA_REFUSED_BY, if (event.isOperationShare) "operation" else "client")
        span.addEvent("reprise.quota.refused", attributes.build())
    }

    private fun gaveUp(event: RetryEvent.CallGaveUp) {
        span.setStatus(StatusCode.ERROR)
        span.setAttribute(Keys.ERROR_TYPE, event.reason.word)
        end(event.attempts, event.reason)
    }

    private fun end(attempts: Int, reason: StopReason) {
        // Ending a span that has ended does nothing: a failed attempt has.
        attempt.end()
        span.setAttribute(Keys.ATTEMPTS, attempts.toLong())
        span.setAttribute(Keys.STOP_REASON, reason.word)
        span.end()
    }
}

/** The methods of the HTTP semantic conventions; any other is `_OTHER`. */
private val METHODS = setOf("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE")

private fun delay(nanos: Long): Attributes = Attributes.of(Keys.DELAY, seconds(nanos))

private fun knownMethod(method: String) = if (method in METHODS) method else "_OTHER"
