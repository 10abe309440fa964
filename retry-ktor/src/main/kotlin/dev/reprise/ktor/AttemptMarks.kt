package dev.reprise.ktor

import dev.reprise.core.Attempt
import io.ktor.client.request.HttpRequestBuilder
import java.util.UUID

/** What tells the attempts of a call apart on the wire. */
internal class AttemptMarks(config: RetryConfig) {
    private val amzHeaders = config.amzHeaders
    private val attemptHeader = config.attemptHeader
    private val changes = config.eachAttempt.toTypedArray()

    /** The name of a new call, if requests carry one. */
    fun newInvocation(): String? = if (amzHeaders) UUID.randomUUID().toString() else null

    fun mark(request: HttpRequestBuilder, attempt: Attempt, maxAttempts: Int, invocation: String?) {
        if (invocation != null) {
            request.headers[INVOCATION_ID] = invocation
            val most = if (maxAttempts == Int.MAX_VALUE) "" else "; max=$maxAttempts"
            request.headers[REQUEST] = "attempt=${attempt.number}$most"
        }
        if (attemptHeader != null) request.headers[attemptHeader] = attempt.number.toString()
        for (change in changes) request.change(attempt)
    }

    private companion object {
        const val INVOCATION_ID = "amz-sdk-invocation-id"
        const val REQUEST = "amz-sdk-request"
    }
}
