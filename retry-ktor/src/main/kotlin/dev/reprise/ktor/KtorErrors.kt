package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.EngineErrors
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.ResultScope
import dev.reprise.core.classify.TransportErrors
import dev.reprise.core.classify.Verdict
import dev.reprise.core.http.HttpPolicies
import io.ktor.client.network.sockets.ConnectTimeoutException
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.plugins.SendCountExceedException
import io.ktor.client.statement.HttpResponse
import java.util.function.Function

/**
 * Classifies what Ktor and its engines throw beyond what [TransportErrors] knows: Ktor's own exceptions, then
 * [EngineErrors]. [Retry] puts it before the transport's errors in every policy that has them, also in those of retriers that
 * the user brings; a policy whose classifier has not is left as it is.
 */
public object KtorErrors : Classifier {
    private val requestTimeout = Verdict.Retry(FailureKind.TIMEOUT, "request timeout")
    private val connectTimeout = Verdict.Retry(FailureKind.TIMEOUT, "connect timeout", unsent = true)

    override fun classifyFailure(failure: Throwable): Verdict? = when {
        failure is HttpRequestTimeoutException -> requestTimeout
        failure is ConnectTimeoutException -> connectTimeout
        failure is SendCountExceedException -> Verdict.Reject
        else -> EngineErrors.classifyFailure(failure)
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "ktor"
}

/** Asks [classify] about every response, before the classifier that is set; `null` is no opinion. */
public fun RetryPolicyBuilder.onResponse(classify: (response: HttpResponse) -> Verdict?): RetryPolicyBuilder =
    onResult(Function<Any?, Verdict?> { result -> (result as? KtorOutcome)?.response?.let(classify) })

/** This policy with [KtorErrors] right before the transport's errors, if it knows those. */
internal fun RetryPolicy.knowingKtor(): RetryPolicy = HttpPolicies(KtorErrors, errorBodyBytes = 0).of(this).policy
