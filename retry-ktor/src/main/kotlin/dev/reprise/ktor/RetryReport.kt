package dev.reprise.ktor

import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Marked
import io.ktor.client.HttpClient
import io.ktor.client.plugins.ResponseException
import io.ktor.client.plugins.sse.SSEClientException
import io.ktor.client.request.HttpRequestPipeline
import io.ktor.client.statement.HttpResponse
import io.ktor.util.AttributeKey

internal val REPORT: AttributeKey<RetryReport> = AttributeKey("RepriseReport")

/** How this response came about: attempts, waits, and why there were no more. Without the plugin: one successful attempt. */
public val HttpResponse.retryReport: RetryReport
    get() = call.attributes.getOrNull(REPORT) ?: RetryReport.FIRST_TRY

/** With `expectSuccess` the last response ends as an exception, made outside of the plugin: it gets the trace here. */
internal fun attachTraces(client: HttpClient) = client.requestPipeline.intercept(HttpRequestPipeline.Before) {
    try {
        proceed()
    } catch (e: ResponseException) {
        // Whoever rebuilds the exception takes what is suppressed in it, and not the response.
        e.response.retryReport.suppressed?.let { if (it !in e.suppressed) e.addSuppressed(it) }
        throw e
    }
}

/** Finds the report of a response, which a retrier around the client asks for. */
internal object KtorMarks : MarkCarriers.Reader {
    override fun of(value: Any): Marked? = when (value) {
        is HttpResponse -> value.call.attributes.getOrNull(REPORT)
        is ResponseException -> of(value.response)
        is SSEClientException -> value.response?.let(::of)
        else -> null
    }
}
