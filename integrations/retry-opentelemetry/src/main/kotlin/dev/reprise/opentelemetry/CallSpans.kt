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
    private val span = tracer.spanBuilder(event.operation ?: SpanNames.CALL).startSpan().also { span ->
        event.retrier?.let { span.setAttribute(MeterNames.CLIENT, it) }
        event.httpMethod?.let { span.setAttribute(SpanNames.HTTP_METHOD, knownMethod(it)) }
        event.serverAddress?.let { span.setAttribute(SpanNames.SERVER_ADDRESS, it) }
    }
    private val context = Context.current().with(span)
    private var attempt: Span = Span.getInvalid()

    /** The context of the last attempt, running or ended; before the first attempt, the context of the call. */
    @Volatile
    var attemptContext: Context = context
        private set

    fun attemptStarted(event: RetryEvent.AttemptStarted) {
        val builder = tracer.spanBuilder(SpanNames.ATTEMPT).setParent(context)
        builder.setAttribute(SpanNames.ATTEMPT_NUMBER, event.attempt.toLong())
        attempt = builder.startSpan()
        val own = context.with(attempt)
        attemptContext = if (event.attempt > 1) own.with(Resends.KEY, event.attempt - 1L) else own
    }

    fun attemptFailed(event: RetryEvent.AttemptFailed) {
        val response = event.result as? HttpOutcome ?: (event.failure as? HttpFailure)?.http
        if (response != null) attempt.setAttribute(SpanNames.STATUS_CODE, response.status.toLong())
        val type = response?.status?.toString() ?: (event.failure ?: event.result)?.javaClass?.name ?: "null"
        attempt.setAttribute(SpanNames.ERROR_TYPE, type)
        (event.verdict as? Verdict.Retry)?.let {
            attempt.setAttribute(SpanNames.FAILURE_KIND, it.kind.name.lowercase())
        }
        attempt.setStatus(StatusCode.ERROR)
        attempt.end()
    }

    fun permitWaited(event: RetryEvent.PermitWaited) {
        span.addEvent(SpanNames.PERMIT_WAITED, Attributes.of(SpanNames.DELAY, seconds(event.waitNanos)))
    }

    fun retryScheduled(event: RetryEvent.RetryScheduled) {
        val attributes = Attributes.builder().put(SpanNames.DELAY, seconds(event.delayNanos))
        attributes.put(SpanNames.BACKOFF, seconds(event.backoffNanos))
        event.serverDelay?.let { attributes.put(SpanNames.SERVER_DELAY, seconds(it.delay.inWholeNanoseconds)) }
        span.addEvent(SpanNames.RETRY_SCHEDULED, attributes.build())
    }

    fun hedgeStarted(event: RetryEvent.HedgeStarted) {
        span.addEvent(SpanNames.HEDGE_STARTED, Attributes.of(SpanNames.DELAY, seconds(event.delayNanos)))
    }

    fun hedgeWon() {
        span.addEvent(SpanNames.HEDGE_WON)
    }

    fun hedgeRefused(event: RetryEvent.HedgeRefused) {
        span.addEvent(SpanNames.HEDGE_REFUSED, Attributes.of(SpanNames.REASON, event.reason.word))
    }

    fun quotaRefused(event: RetryEvent.QuotaRefused) {
        val attributes = Attributes.builder()
            .put(SpanNames.QUOTA_AVAILABLE, event.available.toLong())
            .put(SpanNames.QUOTA_CAPACITY, event.capacity.toLong())
            .put(SpanNames.QUOTA_REFUSED_BY, if (event.isOperationShare) "operation" else "client")
        span.addEvent(SpanNames.QUOTA_REFUSED, attributes.build())
    }

    fun succeeded(event: RetryEvent.CallSucceeded) {
        attempt.end()
        end(event.attempts, StopReason.SUCCESS)
    }

    fun gaveUp(event: RetryEvent.CallGaveUp) {
        span.setStatus(StatusCode.ERROR)
        span.setAttribute(SpanNames.ERROR_TYPE, event.reason.word)
        end(event.attempts, event.reason)
    }

    fun cancelled(event: RetryEvent.CallCancelled) {
        // Ending a span that has ended does nothing: the attempt before a wait that is cancelled has.
        attempt.end()
        end(event.attempts, StopReason.CANCELLED)
    }

    private fun end(attempts: Int, reason: StopReason) {
        span.setAttribute(SpanNames.ATTEMPTS, attempts.toLong())
        span.setAttribute(SpanNames.STOP_REASON, reason.word)
        span.end()
    }

    private companion object {
        /** The methods of the HTTP semantic conventions; any other is `_OTHER`. */
        val METHODS = setOf("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE")

        fun knownMethod(method: String) = if (method in METHODS) method else "_OTHER"
    }
}
