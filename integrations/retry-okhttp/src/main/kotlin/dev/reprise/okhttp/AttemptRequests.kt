package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.http.AmzHeaders
import okhttp3.HttpUrl
import okhttp3.Request
import okhttp3.Response

/**
 * The request of each attempt: the caller's own, or that with the headers by which AWS services know a retry.
 * Confined to one call.
 */
internal class AttemptRequests(private val request: Request, maxAttempts: Int, isMarked: Boolean) {
    private val headers = if (isMarked) AmzHeaders.ofCall(maxAttempts) else null
    private var credentials: String? = null

    fun of(attempt: Attempt): Request {
        if (headers == null && credentials == null) return request
        val next = request.newBuilder()
        if (headers != null) {
            next.header(AmzHeaders.INVOCATION_ID, headers.invocation)
            next.header(AmzHeaders.REQUEST, headers.request(attempt.number))
        }
        credentials?.let { next.header(AUTHORIZATION, it) }
        return next.build()
    }

    /**
     * Credentials that an authenticator has renewed stay for the next attempt, which would otherwise be
     * refused once more and refresh a second time. Not across hosts.
     */
    fun keepCredentials(rejected: Response) {
        val sent = rejected.request
        if (rejected.priorResponse == null || !isSameHost(sent.url, request.url)) return
        credentials = sent.header(AUTHORIZATION)?.takeIf { it != request.header(AUTHORIZATION) } ?: credentials
    }

    private fun isSameHost(a: HttpUrl, b: HttpUrl) = a.host == b.host && a.port == b.port && a.scheme == b.scheme

    private companion object {
        const val AUTHORIZATION = "Authorization"
    }
}
