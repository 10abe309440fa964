package dev.reprise.opentelemetry

import dev.reprise.core.Attempt
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.trace.Tracer
import io.opentelemetry.context.Context
import java.util.concurrent.ConcurrentHashMap

/**
 * Makes a span of each call and, under it, one of each attempt; waits and refusals are events of the call's span. Add
 * it to a retrier as a listener:
 *
 * ```
 * val tracing = RetryTracing(openTelemetry)
 * val retrier = Retrier(policy) { listener(tracing) }
 * val user = retrier { attempt -> tracing.inSpan(attempt) { api.fetch(id) } }
 * ```
 *
 * The parent of a call's span is the context that is current at the call's beginning. The parent of an attempt's span
 * is its call, on every thread and after every wait. Run attempts in [contextOf], so that spans made inside an attempt
 * are children of its span.
 *
 * A call's span has the name of its operation, and its retrier's as `reprise.client`. The span of an HTTP client's call
 * has `http.request.method` and `server.address`; without an operation these two are its name, such as `GET
 * example.com`. To have `http.request.resend_count` on the spans of an HTTP client's own instrumentation, see
 * [ResendCount].
 *
 * Spans contain classes of exceptions and status codes, never texts, URLs or values of headers. `docs/observability.md` has all names.
 * Safe for any number of threads.
 */
public class RetryTracing(private val tracer: Tracer) : RetryListener {
    private val calls = ConcurrentHashMap<Long, CallSpans>()

    /** Makes spans with the tracer `dev.reprise` of [openTelemetry], which has this library's version. */
    public constructor(openTelemetry: OpenTelemetry) : this(Scope.tracer(openTelemetry))

    /** How many calls have begun and not ended. */
    internal val openCalls: Int get() = calls.size

    /**
     * The context of [attempt], in which its span is the current one; the current context if this listener does not know
     * the attempt. Run the attempt in it with `makeCurrent` or one of the context's `wrap` methods, and in a coroutine with
     * [inSpan].
     */
    public fun contextOf(attempt: Attempt): Context = calls[attempt.callId]?.attemptContext ?: Context.current()

    override fun onEvent(event: RetryEvent) {
        val call = event.callId
        when (event) {
            is RetryEvent.CallStarted -> calls[call] = CallSpans(tracer, event)

            is RetryEvent.CallSucceeded, is RetryEvent.CallGaveUp, is RetryEvent.CallCancelled ->
                calls.remove(call)?.record(event)

            else -> calls[call]?.record(event)
        }
    }
}
