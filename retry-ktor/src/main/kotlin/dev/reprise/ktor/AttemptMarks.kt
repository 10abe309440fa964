package dev.reprise.ktor

import dev.reprise.core.Attempt
import dev.reprise.core.shell.http.AttemptHeaders
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.util.AttributeKey

/** The headers that distinguish the attempts of a call on the wire. */
internal class AttemptMarks(config: RetryPluginConfig) {
    private val headers = AttemptHeaders.Settings(config.amzHeaders, config.numberRetries, config.meshRetries)
    private val attemptHeader = config.attemptHeader
    private val changes = config.eachAttempt.toTypedArray()

    /**
     * The headers of a new call of [request] of at most [maxAttempts] attempts. A number that an attempt of another call has
     * left in it, whose response's request is sent again, is removed.
     */
    fun ofCall(request: HttpRequestBuilder, maxAttempts: Int): AttemptHeaders {
        if (NUMBERED in request.attributes) {
            request.attributes.remove(NUMBERED)
            request.headers.remove(AttemptHeaders.REQUEST)
        }
        return headers.ofCall(maxAttempts, isNumbered = AttemptHeaders.REQUEST in request.headers)
    }

    fun mark(request: HttpRequestBuilder, attempt: Attempt, headers: AttemptHeaders) {
        val marks = headers.of(attempt)
        for ((name, value) in marks) request.headers[name] = value
        if (AttemptHeaders.REQUEST in marks) request.attributes.put(NUMBERED, Unit)
        if (attemptHeader != null) request.headers[attemptHeader] = attempt.number.toString()
        for (change in changes) request.change(attempt)
    }
}

/** Says of a request that its number is an attempt's and not its caller's. */
private val NUMBERED = AttributeKey<Unit>("RepriseNumbered")
