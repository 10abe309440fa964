package dev.reprise.ktor

import dev.reprise.core.Attempt
import dev.reprise.core.http.AmzHeaders
import io.ktor.client.request.HttpRequestBuilder

/** What tells the attempts of a call apart on the wire. */
internal class AttemptMarks(config: RetryPluginConfig) {
    private val amzHeaders = config.amzHeaders
    private val attemptHeader = config.attemptHeader
    private val changes = config.eachAttempt.toTypedArray()

    /** The headers of a new call of at most [maxAttempts] attempts, if its requests carry any. */
    fun ofCall(maxAttempts: Int): AmzHeaders? = if (amzHeaders) AmzHeaders.ofCall(maxAttempts) else null

    fun mark(request: HttpRequestBuilder, attempt: Attempt, headers: AmzHeaders?) {
        if (headers != null) {
            request.headers[AmzHeaders.INVOCATION_ID] = headers.invocation
            request.headers[AmzHeaders.REQUEST] = headers.request(attempt.number)
        }
        if (attemptHeader != null) request.headers[attemptHeader] = attempt.number.toString()
        for (change in changes) request.change(attempt)
    }
}
