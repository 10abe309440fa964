package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.http.RetryReport
import okhttp3.HttpUrl
import okhttp3.Request
import okhttp3.RequestBody
import okhttp3.Response
import java.util.concurrent.atomic.AtomicInteger

/**
 * The request of each attempt: the caller's own, or the same with another body, with the [headers] by which servers
 * recognize a retry. Counts copies, and the requests seen in responses. For one call, on any threads.
 */
internal class AttemptRequests(asked: Request, body: RequestBody?, private val headers: AttemptHeaders) {
    private val request = unreported(if (body == null) asked else asked.newBuilder().method(asked.method, body).build())

    @Volatile
    private var credentials: String? = null
    private val extra = AtomicInteger()

    /** Whether all requests are those of attempts, as far as is known. */
    val areAttempts: Boolean get() = extra.get() == 0

    fun of(attempt: Attempt): Request {
        if (attempt.isCopy) extra.incrementAndGet()
        val marks = headers.of(attempt)
        if (marks.isEmpty() && credentials == null) return request
        val next = request.newBuilder()
        for ((name, value) in marks) next.header(name, value)
        credentials?.let { next.header(AUTHORIZATION, it) }
        return next.build()
    }

    /** Notes [response], which is rejected. */
    fun rejected(response: Response) {
        extra.addAndGet(followUps(response))
        keepCredentials(response)
    }

    /** How many requests [attempts] have sent, the last of which got [response]. */
    fun count(attempts: Int, response: Response): Int = attempts + extra.get() + followUps(response)

    /** [response] with its request as the caller may send it again: without an attempt's number, with his own body. */
    fun asAsked(response: Response): Response {
        val sent = response.request
        val own = request.header(AttemptHeaders.REQUEST)
        val watched = (sent.body as? OneShotWatch)?.body
        if (watched == null && sent.header(AttemptHeaders.REQUEST) == own) return response
        val asked = sent.newBuilder().removeHeader(AttemptHeaders.REQUEST)
        own?.let { asked.header(AttemptHeaders.REQUEST, it) }
        if (watched != null) asked.method(sent.method, watched)
        return response.newBuilder().request(asked.build()).build()
    }

    /**
     * Credentials that an authenticator has renewed stay for the next attempt, which would otherwise be
     * refused once more and refresh a second time. Not across hosts, and not an answer to one challenge: many authenticators give up
     * when such an answer is refused.
     */
    private fun keepCredentials(rejected: Response) {
        val first = generateSequence(rejected.priorResponse) { it.priorResponse }.lastOrNull() ?: return
        if (!isSameHost(rejected.request.url, request.url)) return
        val given = credentials ?: request.header(AUTHORIZATION)
        // Others are an interceptor's, which adds its own to the next attempt too.
        if (first.request.header(AUTHORIZATION) != given) return
        credentials = rejected.request.header(AUTHORIZATION)?.takeIf { it != given && !servesOnce(it) } ?: credentials
    }

    private fun servesOnce(credentials: String) = ONCE.any { credentials.startsWith("$it ", ignoreCase = true) }

    private fun isSameHost(a: HttpUrl, b: HttpUrl) = a.host == b.host && a.port == b.port && a.scheme == b.scheme

    companion object {
        private const val AUTHORIZATION = "Authorization"

        /** The schemes whose credentials answer one challenge. */
        private val ONCE = listOf("Digest", "Negotiate", "NTLM")

        /** [request] without the report of another call, whose response's request the caller sends again. */
        private fun unreported(request: Request): Request {
            if (request.tag(RetryReport::class.java) == null) return request
            return request.newBuilder().tag(RetryReport::class.java, null).build()
        }

        /** How many requests OkHttp has sent before the request of [response]. */
        fun followUps(response: Response): Int = generateSequence(response.priorResponse) { it.priorResponse }.count()
    }
}
