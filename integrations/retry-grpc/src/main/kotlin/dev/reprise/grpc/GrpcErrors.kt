package dev.reprise.grpc

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.firstOfCauses
import dev.reprise.core.shell.values.exactServerDelay
import dev.reprise.core.shell.values.retriedBelow
import io.grpc.Metadata
import io.grpc.Status
import io.grpc.StatusException
import io.grpc.StatusRuntimeException

/**
 * Classifies gRPC's exceptions by their status: `UNAVAILABLE` is transient, `RESOURCE_EXHAUSTED` is throttling unless a message
 * was too large, and every other status is final. A negative pushback of the server counts as [retried below][WhenRetriedBelow], and ends
 * the call unless its policy goes on then. Looks through up to ten nested causes, as a future's `get` wraps them. Has no opinion on
 * other exceptions.
 *
 * [RetryClientInterceptor] asks it after the policy's own classifier. With a retrier around a stub's call it has to be said:
 * `classifier = GrpcErrors or classifier`.
 */
public object GrpcErrors : NamesRejections {
    private val unavailable = Verdict.Retry(FailureKind.TRANSIENT, "status UNAVAILABLE")
    private val exhausted = Verdict.Retry(FailureKind.THROTTLING, "status RESOURCE_EXHAUSTED")

    /** How gRPC's libraries say that a message is larger than a limit, which it will be the next time too. */
    private val tooLarge = listOf(
        // Java
        "exceeds maximum size",
        "message too large",
        // Go, and C++ with the languages built on it, such as Python
        "larger than max",
        // Node.js
        "size larger than",
        // .NET
        "exceeds the maximum configured message size",
        // Swift
        "exceeded the configured maximum payload size",
        // connect-go
        "larger than configured max",
    )

    override fun classifyFailure(failure: Throwable): Verdict? = firstOfCauses(failure) { cause ->
        statusOf(cause)?.let { heeding(verdictOn(it), cause) }
    }

    /** [verdict], final if that is `null`, with the wait that the server asks for in [failure]. */
    private fun heeding(verdict: Verdict.Retry?, failure: Throwable): Verdict {
        val trailers = Status.trailersFromThrowable(failure)
        if (verdict == null || trailers == null) return verdict ?: Verdict.Reject
        return withServerDelay(verdict, trailers, Pushback.MOST_NANOS)
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun whyRejected(failure: Throwable): String? = firstOfCauses(failure, look = ::statusOf)
        ?.takeIf { verdictOn(it) == null }?.let { "no rule retries status ${it.code}" }

    private fun verdictOn(status: Status): Verdict.Retry? = when (status.code) {
        Status.Code.UNAVAILABLE -> unavailable
        Status.Code.RESOURCE_EXHAUSTED -> exhausted.takeIf { !isTooLarge(status.description) }
        else -> null
    }

    private fun isTooLarge(description: String?) = description != null && tooLarge.any { it in description }

    /** [verdict] with the wait that the server's [trailers] ask for, if they do; beyond [mostNanos] the call ends. */
    internal fun withServerDelay(verdict: Verdict.Retry, trailers: Metadata, mostNanos: Long): Verdict.Retry {
        val pushback = Pushback.nanosIn(trailers)
        return when {
            // A server of this library sends this after a retrier below has given up.
            pushback == Pushback.STOP ->
                verdict.retriedBelow().withServerDelay(exactServerDelay(Pushback.STOP))

            pushback != Pushback.ABSENT ->
                verdict.withServerDelay(exactServerDelay(if (pushback > mostNanos) Pushback.STOP else pushback))

            else -> RetryInfo.nanosIn(trailers)?.let { verdict.withServerDelay(Pushback.atLeast(it, mostNanos)) }
                ?: verdict
        }
    }

    internal fun statusOf(failure: Throwable): Status? = when (failure) {
        is StatusRuntimeException -> failure.status
        is StatusException -> failure.status
        else -> null
    }

    /**
     * Retries the status [code] as a failure of [kind], such as `ABORTED` of a transaction; has no opinion on others.
     * To stand before a policy's own classifier. The server's pushback is followed, and `CANCELLED` is never retried.
     */
    @JvmStatic
    @JvmOverloads
    public fun on(code: Status.Code, kind: FailureKind = FailureKind.TRANSIENT): Classifier {
        val verdict = if (code == Status.Code.CANCELLED) null else Verdict.Retry(kind, "status $code")
        return Classifier.failures { failure ->
            // The nearest status decides.
            firstOfCauses(failure) { cause -> cause.takeIf { statusOf(it) != null } }
                ?.takeIf { statusOf(it)?.code == code }?.let { heeding(verdict, it) }
        }
    }

    override fun toString(): String = "grpc"
}
