package dev.reprise.spring

import dev.reprise.core.Classifier
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.firstOfCauses
import dev.reprise.core.shell.http.ReadOutcome
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.core.shell.values.parts
import org.springframework.http.HttpHeaders
import org.springframework.util.ClassUtils
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.reactive.function.client.WebClientResponseException

/**
 * Finds the HTTP response in the exceptions of RestClient, RestTemplate and WebClient for a status of 400 or more, also
 * among the causes. The other rules of a policy then judge that response: a 503 is retried, a 404 is final, a
 * `Retry-After` is followed if the policy follows it, as [RetryPolicy.HTTP] does and [RetryPolicy.STANDARD] does not.
 *
 * A [RetryRegistry] adds it to all of its policies.
 */
public object SpringErrors : ResponseReader, NamesRejections {
    private val hasRestClient = isThere("org.springframework.web.client.RestClientResponseException")
    private val hasWebClient =
        isThere("org.springframework.web.reactive.function.client.WebClientResponseException")

    override fun responseOf(failure: Throwable): HttpOutcome? = firstOfCauses(failure) { cause ->
        (if (hasRestClient) RestClientReader.read(cause) else null)
            ?: if (hasWebClient) WebClientReader.read(cause) else null
    }

    /** The value of `x-should-retry` in the response that [failure] stands for. */
    internal fun carriedMark(failure: Throwable): String? = responseOf(failure)?.header(SHOULD_RETRY)

    /** The values of all headers of the response that [failure] stands for. */
    internal fun headerValuesOf(failure: Throwable): List<String> =
        (responseOf(failure) as? Thrown)?.headers?.headerSet().orEmpty().flatMap { it.value }

    /** Reports to [request] that its work ended with [failure], which may stand for a response on which a client gave up. */
    internal fun report(failure: Throwable, request: ServedRequest): Unit =
        request.failed(failure, carriedMark(failure).equals("false", ignoreCase = true))

    override val resultScope: ResultScope get() = ResultScope.NONE

    /**
     * [policy] with this before its own rules, which also honours `x-should-retry`: so it leaves a response alone on which a retried
     * HTTP client has given up. Unchanged if this is there.
     */
    @JvmStatic
    public fun addedTo(policy: RetryPolicy): RetryPolicy {
        if (this in policy.classifier.parts()) return policy
        return policy.with {
            classifier = Classifier.firstOf(SpringErrors, policy.classifier)
            honourShouldRetry = true
        }
    }

    override fun toString(): String = "spring"

    /** Apart, so that its types are loaded only if they are there. */
    private object RestClientReader {
        fun read(failure: Throwable): HttpOutcome? = (failure as? RestClientResponseException)
            ?.let { Thrown(it.statusCode.value(), it.responseHeaders, it.responseBodyAsByteArray) }
    }

    /** Apart, so that its types are loaded only if they are there. */
    private object WebClientReader {
        fun read(failure: Throwable): HttpOutcome? = (failure as? WebClientResponseException)
            ?.let { Thrown(it.statusCode.value(), it.headers, it.responseBodyAsByteArray) }
    }

    /** A response that was thrown as an exception. */
    private class Thrown(override val status: Int, val headers: HttpHeaders?, override val read: ByteArray) :
        ReadOutcome(receivedAtEpochMillis = System.currentTimeMillis()) {
        override val isWhole: Boolean get() = true

        override fun header(name: String): String? = headers?.getFirst(name)
    }
}

/** Whether the class called [type] is on the class path. */
internal fun isThere(type: String): Boolean = ClassUtils.isPresent(type, SpringErrors::class.java.classLoader)
