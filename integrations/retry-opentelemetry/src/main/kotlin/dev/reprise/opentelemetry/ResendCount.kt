package dev.reprise.opentelemetry

import io.opentelemetry.api.trace.SpanKind
import io.opentelemetry.context.Context
import io.opentelemetry.context.ContextKey
import io.opentelemetry.sdk.trace.ReadWriteSpan
import io.opentelemetry.sdk.trace.ReadableSpan
import io.opentelemetry.sdk.trace.SpanProcessor

/**
 * Puts `http.request.resend_count` on the CLIENT spans of requests that an attempt sends again, as the semantic
 * conventions require. These spans come from an HTTP client's own instrumentation, which does not know the attempts.
 * Add it to the `SdkTracerProvider`, and run attempts in their context ([RetryTracing.contextOf], [inSpan]).
 *
 * Needs `io.opentelemetry:opentelemetry-sdk-trace`, which this module does not bring. Safe for any number of threads.
 */
public object ResendCount : SpanProcessor {
    override fun onStart(parentContext: Context, span: ReadWriteSpan) {
        val resends = parentContext[Resends.KEY] ?: return
        val isRequest = span.kind == SpanKind.CLIENT && span.getAttribute(Keys.HTTP_METHOD) != null
        if (isRequest) span.setAttribute(Keys.RESEND_COUNT, resends)
    }

    override fun isStartRequired(): Boolean = true

    override fun onEnd(span: ReadableSpan): Unit = Unit

    override fun isEndRequired(): Boolean = false

    override fun toString(): String = "ResendCount"
}

/** How often an attempt's requests were sent before, in its context; absent from a first attempt's. */
internal object Resends {
    val KEY: ContextKey<Long> = ContextKey.named("reprise.resends")
}
