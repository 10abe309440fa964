package dev.reprise.conformance.faults

import dev.reprise.conformance.GrpcAnswer
import dev.reprise.conformance.ScriptedChannel
import dev.reprise.conformance.grpcCall
import io.grpc.Status
import java.util.concurrent.CompletableFuture

/** One unary call through a channel of the world's, with the interceptor. */
internal fun World.throughGrpc(): CompletableFuture<*> {
    var number = 0
    val channel = ScriptedChannel(time) {
        val step = begins(++number)
        if (step.throws) {
            GrpcAnswer(step.takesNanos, Status.UNKNOWN.withCause(ScriptedFailure(step.verdict)))
        } else {
            GrpcAnswer(step.takesNanos, Status.OK, results.make(step.verdict))
        }
    }
    return grpcCall(channel, java, options, time)
}
