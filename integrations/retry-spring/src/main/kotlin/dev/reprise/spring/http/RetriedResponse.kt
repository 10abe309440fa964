package dev.reprise.spring.http

import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.java.internal.ExchangeLimit
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatusCode
import org.springframework.http.client.ClientHttpResponse
import java.io.InputStream

/**
 * The response that a call ended with. If the call could have retried and gave up on it, it says `x-should-retry: false`, so that
 * a retrier further out leaves it alone. The exception that Spring makes of it leads to the call's trace.
 */
internal class RetriedResponse(
    private val outcome: RestOutcome,
    val report: RetryReport,
    private val limit: ExchangeLimit?,
) : ClientHttpResponse {
    private val response = outcome.response
    private val stream by lazy(LazyThreadSafetyMode.NONE) { outcome.body(limit) }
    private val headers = (report.suppressed as GiveUpMark?)?.let { marked(response.headers, it) } ?: response.headers

    override fun getStatusCode(): HttpStatusCode = response.statusCode

    override fun getStatusText(): String = response.statusText

    override fun getHeaders(): HttpHeaders = headers

    override fun getBody(): InputStream = stream

    /** Spring would read what is left of a rejected body, which may take long. */
    override fun close() = limit.use { if (outcome.isRejected) outcome.close() else response.close() }
}

private fun marked(headers: HttpHeaders, mark: GiveUpMark): HttpHeaders {
    val all = HttpHeaders()
    all.addAll(headers)
    CarriedTraces.attach(mark, all)
    return HttpHeaders.readOnlyHttpHeaders(all)
}
