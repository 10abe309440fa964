package dev.reprise.spring.http

import dev.reprise.core.ShouldRetry
import dev.reprise.core.shell.http.RetryReport
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatusCode
import org.springframework.http.client.ClientHttpResponse
import java.io.InputStream

/**
 * The response that a call ended with. If the call could have retried and gave up on it, it says `x-should-retry: false`, so that
 * a retrier further out leaves it alone.
 */
internal class RetriedResponse(
    private val outcome: RestOutcome,
    val report: RetryReport,
    private val limit: BodyLimit?,
) : ClientHttpResponse {
    private val response = outcome.response
    private val stream by lazy(LazyThreadSafetyMode.NONE) { outcome.held?.stream(limit) ?: response.body }
    private val headers = if (report.giveUpMark != null) marked(response.headers) else response.headers

    override fun getStatusCode(): HttpStatusCode = response.statusCode

    override fun getStatusText(): String = response.statusText

    override fun getHeaders(): HttpHeaders = headers

    override fun getBody(): InputStream = stream

    /** Spring would read what is left of a failure's body, which may take long. */
    override fun close() = limit.use { if (HeldBytes.isFailure(outcome.status)) outcome.close() else response.close() }

    private companion object {
        fun marked(headers: HttpHeaders): HttpHeaders {
            val all = HttpHeaders()
            all.addAll(headers)
            all[ShouldRetry.HEADER] = "false"
            return HttpHeaders.readOnlyHttpHeaders(all)
        }
    }
}
