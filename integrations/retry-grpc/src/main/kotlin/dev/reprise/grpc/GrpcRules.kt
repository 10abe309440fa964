package dev.reprise.grpc

import dev.reprise.core.Classifier
import dev.reprise.core.NamesRejections
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.AroundClassifier
import io.grpc.Status

/**
 * A policy's classifier with gRPC's rules around it. Before it: a cancelled call is final. After it: [GrpcErrors]
 * judges failures on which it has no opinion. Then the server's pushback, up to [mostNanos], and whether the request
 * was sent. Only [inner] judges a response's message.
 */
internal class GrpcRules(inner: Classifier, private val mostNanos: Long) :
    AroundClassifier(inner),
    NamesRejections {
    override fun classifyFailure(failure: Throwable): Verdict? {
        if (failure !is AttemptFailure) return super<AroundClassifier>.classifyFailure(failure)
        if (failure.status.code == Status.Code.CANCELLED) return Verdict.Reject
        val verdict = super<AroundClassifier>.classifyFailure(failure) ?: GrpcErrors.classifyFailure(failure)
        if (verdict !is Verdict.Retry) return verdict
        val full = GrpcErrors.withServerDelay(verdict, failure.trailers!!, mostNanos)
        // A request that was not sent has no server that said anything.
        return if (failure.isUnsent) Verdict.Retry(full.kind, full.why, unsent = true) else full
    }

    override fun classifyResult(result: Any?): Verdict? =
        super<AroundClassifier>.classifyResult(if (result is GrpcResponse) result.message else result)

    override fun whyRejected(failure: Throwable): String? {
        if (failure !is AttemptFailure) return null
        // A rule of the user's is not asked again.
        return GrpcErrors.whyRejected(failure) ?: "a rule rejects status ${failure.status.code}"
    }

    override fun toString(): String = "${super.toString()} or $GrpcErrors"
}
