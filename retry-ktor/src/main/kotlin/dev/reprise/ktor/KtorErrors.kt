package dev.reprise.ktor

import dev.reprise.core.EngineErrors
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.firstOfCauses
import io.ktor.client.network.sockets.ConnectTimeoutException
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.plugins.ResponseException
import io.ktor.client.plugins.SendCountExceedException
import io.ktor.client.plugins.sse.SSEClientException
import io.ktor.client.statement.HttpResponse
import io.ktor.http.isSuccess
import java.util.function.Function

/**
 * Classifies exceptions of Ktor and its engines that [TransportErrors] does not know: Ktor's own, then [EngineErrors].
 * [Retry] puts it before the transport's errors in every policy that has them, also in policies of the user's retriers;
 * a policy without them stays unchanged.
 *
 * Around calls of a client without [Retry], with `expectSuccess`, it reads the response in Ktor's exceptions. After
 * `classifyFirst(KtorErrors)` a policy judges a `ResponseException` and an `SSEClientException` by its status, also
 * [RetryPolicy.ANY_EXCEPTION], and follows `Retry-After` as it would for a response.
 */
public object KtorErrors : ResponseReader, NamesRejections {
    private val requestTimeout = Verdict.Retry(FailureKind.TIMEOUT, "request timeout")
    private val connectTimeout = Verdict.Retry(FailureKind.TIMEOUT, "connect timeout", unsent = true)

    override fun classifyFailure(failure: Throwable): Verdict? = when {
        failure is HttpRequestTimeoutException -> requestTimeout
        failure is ConnectTimeoutException -> connectTimeout
        failure is SendCountExceedException || failure is NothingToUnpackException -> Verdict.Reject
        else -> EngineErrors.classifyFailure(failure)
    }

    /**
     * The response of the nearest `ResponseException` or `SSEClientException` among [failure] and its causes; `null` if there is
     * none. A stream that broke after a good response is judged by its cause.
     */
    override fun responseOf(failure: Throwable): HttpOutcome? = firstOfCauses(failure) { cause ->
        when (cause) {
            is ResponseException -> Thrown(cause.response)
            is SSEClientException -> cause.response?.takeIf { !it.status.isSuccess() }?.let(::Thrown)
            else -> null
        }
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    /** A response that an exception stands for; its body is the exception's. */
    private class Thrown(private val response: HttpResponse) : HttpOutcome() {
        override val status: Int get() = response.status.value

        override fun header(name: String): String? = response.headers[name]

        override val receivedAtEpochMillis: Long get() = response.responseTime.timestamp
    }

    override fun toString(): String = "ktor"
}

/** Asks [classify] about every response, before the classifier that is set; `null` is no opinion. */
public fun RetryPolicyBuilder.onResponse(classify: (response: HttpResponse) -> Verdict?): RetryPolicyBuilder =
    onResult(Function<Any?, Verdict?> { result -> (result as? KtorOutcome)?.response?.let(classify) })
