package dev.reprise.conformance

import dev.reprise.core.CallOptions
import dev.reprise.coroutines.Retrier
import dev.reprise.grpc.GrpcCallOptions
import dev.reprise.grpc.RetryClientInterceptor
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import io.grpc.Attributes
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.ClientStreamTracer.StreamInfo
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.MethodDescriptor.MethodType
import io.grpc.Status
import io.grpc.StatusRuntimeException
import java.io.InputStream
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.nanoseconds
import io.grpc.CallOptions as GrpcOptions

/** What a gRPC server answers after [takesNanos]: [status], and a [message] before it if that is OK. */
internal class GrpcAnswer(val takesNanos: Long, val status: Status, val message: Any? = null)

/** A gRPC channel in virtual time, on the thread of the test. It gives each request the next of its [answers]. */
internal class ScriptedChannel(private val time: VirtualTime, private val answers: () -> GrpcAnswer) : Channel() {
    override fun authority(): String = "service.test"

    override fun <Q, R> newCall(method: MethodDescriptor<Q, R>, options: GrpcOptions): ClientCall<Q, R> =
        ScriptedGrpcCall(options)

    private inner class ScriptedGrpcCall<Q, R>(private val options: GrpcOptions) : ClientCall<Q, R>() {
        private lateinit var listener: Listener<R>
        private var timer = Runnable {}
        private var isOver = false

        override fun start(listener: Listener<R>, headers: Metadata) {
            this.listener = listener
        }

        override fun request(numMessages: Int) = Unit

        override fun sendMessage(message: Q) = Unit

        override fun halfClose() {
            val answer = answers()
            if (answer.status.cause !is ConnectException) reachesConnection()
            if (answer.takesNanos == 0L) {
                ends(answer)
            } else {
                timer = time.after(answer.takesNanos.nanoseconds) { ends(answer) }
            }
        }

        private fun reachesConnection() = options.streamTracerFactories.forEach {
            it.newClientStreamTracer(StreamInfo.newBuilder().build(), Metadata())
                .streamCreated(Attributes.EMPTY, Metadata())
        }

        private fun ends(answer: GrpcAnswer) {
            if (isOver) return
            isOver = true
            if (answer.status.isOk) {
                listener.onHeaders(Metadata())
                @Suppress("UNCHECKED_CAST")
                listener.onMessage(answer.message as R)
            }
            listener.onClose(answer.status, Metadata())
        }

        override fun cancel(message: String?, cause: Throwable?) {
            timer.run()
            ends(GrpcAnswer(0, Status.CANCELLED.withDescription(message).withCause(cause)))
        }
    }
}

/** A unary call through a channel with a [RetryClientInterceptor], as a future that cancels it. */
internal fun grpcCall(
    channel: Channel,
    retrier: JavaRetrier,
    call: CallOptions,
    time: VirtualTime,
    method: MethodDescriptor<Any, Any> = IDEMPOTENT_METHOD,
) = object : CompletableFuture<Any?>() {
    private val sent = RetryClientInterceptor(retrier).interceptCall(
        method,
        GrpcOptions.DEFAULT.withOption(GrpcCallOptions.KEY, call).withExecutor(time.executor),
        channel,
    )

    init {
        sent.start(Ends(this), Metadata())
        sent.request(2)
        sent.sendMessage("request")
        sent.halfClose()
    }

    override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
        sent.cancel("cancelled", null)
        return isCancelled
    }
}

/** Completes [future] with the one end of a call. */
private class Ends(private val future: CompletableFuture<Any?>) : ClientCall.Listener<Any>() {
    private var message: Any? = null

    override fun onMessage(message: Any) {
        check(this.message == null && !future.isDone) { "more than one message" }
        this.message = message
    }

    override fun onClose(status: Status, trailers: Metadata) {
        val isFirst = if (status.isOk) future.complete(message) else future.completeExceptionally(failureOf(status))
        check(isFirst) { "closed twice" }
    }
}

/** The failure that [status] stands for: the one that the script has put into it, or the retrier's. */
internal fun failureOf(status: Status): Throwable = when (val cause = status.cause) {
    null -> StatusRuntimeException(status)
    is StatusRuntimeException -> failureOf(cause.status)
    else -> cause
}

internal val IDEMPOTENT_METHOD: MethodDescriptor<Any, Any> = MethodDescriptor.newBuilder(Unsent, Unsent)
    .setType(MethodType.UNARY)
    .setFullMethodName("test.Service/Call")
    .setIdempotent(true)
    .build()

/** The channel passes objects on as they are. */
private object Unsent : MethodDescriptor.Marshaller<Any> {
    override fun stream(value: Any): InputStream = error("not on a wire")

    override fun parse(stream: InputStream): Any = error("not on a wire")
}

/** gRPC's interceptor. Failures are causes of `UNKNOWN`, as of a client that failed; responses are statuses. */
data object GrpcFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val channel = ScriptedChannel(time) { call.next().answer() }
        val end = grpcCall(channel, JavaRetrier.sharing(retrier, time, time.executor), call.options, time)
        return Ended.of(end, call, time)
    }

    private fun Step.answer(): GrpcAnswer {
        val result = result
        return when {
            failure != null -> GrpcAnswer(takesNanos, Status.UNKNOWN.withCause(failure.invoke()))
            result is Response && result.status >= 400 -> GrpcAnswer(takesNanos, statusOf(result))
            else -> GrpcAnswer(takesNanos, Status.OK, result)
        }
    }

    private fun statusOf(response: Response): Status = when {
        response.errorCode != null -> Status.RESOURCE_EXHAUSTED
        response.status >= 500 -> Status.UNAVAILABLE
        else -> Status.FAILED_PRECONDITION
    }
}
