package dev.reprise.ktor

import dev.reprise.core.Attempt
import dev.reprise.core.http.AmzHeaders
import dev.reprise.core.http.AttemptHeaders
import io.ktor.client.request.HttpRequestBuilder

/** The headers that distinguish the attempts of a call on the wire. */
internal class AttemptMarks(config: RetryPluginConfig) {
    private val headers = AttemptHeaders.Settings(config.amzHeaders, config.numberRetries, config.meshRetries)
    private val attemptHeader = config.attemptHeader
    private val changes = config.eachAttempt.toTypedArray()

    /** The headers of a new call of [request] of at most [maxAttempts] attempts. */
    fun ofCall(request: HttpRequestBuilder, maxAttempts: Int): AttemptHeaders =
        headers.ofCall(maxAttempts, isNumbered = AmzHeaders.REQUEST in request.headers)

    fun mark(request: HttpRequestBuilder, attempt: Attempt, headers: AttemptHeaders) {
        for ((name, value) in headers.of(attempt)) request.headers[name] = value
        if (attemptHeader != null) request.headers[attemptHeader] = attempt.number.toString()
        for (change in changes) request.change(attempt)
    }
}
