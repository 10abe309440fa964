package dev.reprise.grpc

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.responseOf
import io.grpc.Status

/**
 * A policy's classifier with gRPC's rules around it. Before it: a cancelled call is final. After it: [GrpcErrors]
 * judges failures on which it has no opinion. Then the server's pushback, up to [mostNanos], and whether the request
 * was sent. Only [inner] judges a response's message.
 */
internal class GrpcRules(private val inner: Classifier, private val mostNanos: Long) :
    ResponseReader,
    NamesRejections {
    override fun classifyFailure(failure: Throwable): Verdict? {
        if (failure !is AttemptFailure) return inner.classifyFailure(failure)
        if (failure.status.code == Status.Code.CANCELLED) return Verdict.Reject
        val verdict = inner.classifyFailure(failure) ?: GrpcErrors.classifyFailure(failure)
        if (verdict !is Verdict.Retry) return verdict
        val full = GrpcErrors.withServerDelay(verdict, failure.trailers!!, mostNanos)
        // A request that was not sent has no server that said anything.
        return if (failure.isUnsent) Verdict.Retry(full.kind, full.why, unsent = true) else full
    }

    override fun classifyResult(result: Any?): Verdict? =
        inner.classifyResult(if (result is GrpcResponse) result.message else result)

    override fun responseOf(failure: Throwable): HttpOutcome? = inner.responseOf(failure)

    override fun whyRejected(failure: Throwable): String? {
        if (failure !is AttemptFailure) return null
        // A rule of the user's is not asked again.
        return GrpcErrors.whyRejected(failure) ?: "a rule rejects status ${failure.status.code}"
    }

    override val resultScope: ResultScope get() = inner.resultScope

    override val bodyNeed: BodyNeed get() = inner.bodyNeed

    override fun toString(): String = "$inner or $GrpcErrors"
}
