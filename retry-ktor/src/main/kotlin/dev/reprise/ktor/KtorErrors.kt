package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.FirstOf
import dev.reprise.core.classify.ResultClassifier
import dev.reprise.core.classify.ResultScope
import dev.reprise.core.classify.TransportErrors
import dev.reprise.core.classify.Verdict
import io.ktor.client.network.sockets.ConnectTimeoutException
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.plugins.SendCountExceedException
import io.ktor.client.statement.HttpResponse
import java.security.cert.CertificateException

/**
 * Classifies what Ktor and its engines throw beyond what [TransportErrors] knows. [Retry] puts it before those in every
 * policy that has them; a policy whose classifier has not is left as it is.
 */
public object KtorErrors : Classifier {
    private val requestTimeout = Verdict.Retry(FailureKind.TIMEOUT, "request timeout")
    private val connectTimeout = Verdict.Retry(FailureKind.TIMEOUT, "connect timeout", unsent = true)
    private val connectFailed = Verdict.Retry(FailureKind.TRANSIENT, "connect failed", unsent = true)
    private val handshakeFailed = Verdict.Retry(FailureKind.TRANSIENT, "TLS handshake failed")
    private val bodyTooShort = Verdict.Retry(FailureKind.TRANSIENT, "body ended early")

    override fun classifyFailure(failure: Throwable): Verdict? = when {
        failure is HttpRequestTimeoutException -> requestTimeout

        failure is ConnectTimeoutException -> connectTimeout

        failure is SendCountExceedException -> Verdict.Reject

        // The engine's own type, which is not on the class path of every client.
        failure.javaClass.name == "io.ktor.client.engine.cio.FailToConnectException" -> connectFailed

        // CIO throws it as it is; other engines wrap it in an IOException.
        failure is CertificateException -> handshakeFailed

        // All that Ktor says when a saved body is shorter than its Content-Length is an IllegalStateException.
        failure is IllegalStateException && failure.message.orEmpty().startsWith(
            "Content-Length mismatch",
        ) -> bodyTooShort

        else -> null
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "ktor"
}

/** Asks [classify] about every response, before the classifier that is set; `null` is no opinion. */
public fun RetryPolicyBuilder.onResponse(classify: (response: HttpResponse) -> Verdict?): RetryPolicyBuilder =
    onResult(ResultClassifier { result -> (result as? KtorOutcome)?.response?.let(classify) })

/** This policy with [KtorErrors] right before the transport's errors, if it knows those. */
internal fun RetryPolicy.knowingKtor(): RetryPolicy {
    val parts = (classifier as? FirstOf)?.parts ?: listOf(classifier)
    val at = parts.indexOf(TransportErrors)
    if (at < 0 || KtorErrors in parts) return this
    val known = Classifier.firstOf(*parts.toMutableList().apply { add(at, KtorErrors) }.toTypedArray())
    return with { classifier = known }
}
