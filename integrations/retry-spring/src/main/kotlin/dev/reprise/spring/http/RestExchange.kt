package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.http.HttpRetrier
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException
import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.net.URI
import java.util.concurrent.CancellationException

/** The attempts of one request on the thread that sends it. Confined to that call. */
internal abstract class RestExchange(
    retries: HttpRetries,
    private val retrier: HttpRetrier<JavaRetrier>,
    private val method: HttpMethod,
    private val uri: URI,
    asked: HttpHeaders,
) : BlockingAttempt<RestOutcome, IOException> {
    private val goodBytes = retries.goodBytes(retrier)
    private var last: Attempt? = null
    private val headers = retries.headersOf(retrier, asked)

    /** Sends one attempt, with the headers [marks]. */
    abstract fun send(marks: Map<String, String>): ClientHttpResponse

    /** Makes attempts until a response is accepted or the policy gives up. */
    @Throws(IOException::class)
    fun execute(options: CallOptions): ClientHttpResponse {
        val named = retrier.retrier.retrier().setup.http(options, method.name(), Hosts.nameOf(uri))
        val end =
            try {
                retrier.retrier.withOptions(named).outcomeWithAttempt(this)
            } catch (e: CancellationException) {
                throw InterruptedIOException("interrupted").also { it.initCause(e) }
            }
        val outcome =
            try {
                end.getOrThrow()
            } catch (e: Exception) {
                if (end is RetryOutcome.BadResult) end.value.close()
                throw e.asSpring()
            }
        return RetriedResponse(outcome, RetryReport(end), limitOf(outcome, end.trace))
    }

    /** Bounds the rest of a failure's body by the time that the last attempt may take. */
    private fun limitOf(outcome: RestOutcome, trace: RetryTrace?): BodyLimit? {
        if (!HeldBytes.isFailure(outcome.status) || outcome.held?.isWhole == true) return null
        try {
            return last?.let { BodyLimit.of(it, retrier.retrier.waiter(), outcome.response, trace) }
        } catch (e: Throwable) {
            outcome.close()
            throw e
        }
    }

    /** Its attempts share the state of this object. */
    override fun mayRunTwice(): Boolean = false

    override fun make(attempt: Attempt): RestOutcome {
        last = attempt
        val response = send(headers.of(attempt))
        try {
            val limit = BodyLimit.of(attempt, retrier.retrier.waiter(), response)
            return limit.use { RestOutcome(response, method, goodBytes, limit) }
        } catch (e: Throwable) {
            RestOutcome.abandon(response)
            throw e
        }
    }

    override fun discard(result: RestOutcome): Unit = result.close()

    override fun releasesBeforeWait(): Boolean = true

    /** Spring's callers expect an `IOException`, and have it wrapped: the trace is found in either. */
    private fun Exception.asSpring(): Exception = when (this) {
        is AttemptTimeoutException -> SocketTimeoutException(message).also { it.initCause(this) }
        is RetryStoppedException -> IOException(message, this)
        else -> this
    }
}
