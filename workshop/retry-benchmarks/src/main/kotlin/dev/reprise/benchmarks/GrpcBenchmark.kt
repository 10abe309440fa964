package dev.reprise.benchmarks

import dev.reprise.core.Backoff
import dev.reprise.core.TokenBucketSettings
import dev.reprise.grpc.RetryClientInterceptor
import dev.reprise.grpc.toGrpcServiceConfig
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.ClientInterceptor
import io.grpc.ManagedChannel
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Server
import io.grpc.ServerCall
import io.grpc.ServerCallHandler
import io.grpc.ServerServiceDefinition
import io.grpc.Status
import io.grpc.StatusRuntimeException
import io.grpc.inprocess.InProcessChannelBuilder
import io.grpc.inprocess.InProcessServerBuilder
import io.grpc.stub.ClientCalls
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import java.io.ByteArrayInputStream
import java.io.InputStream
import java.time.Duration
import dev.reprise.core.RetryPolicy as ReprisePolicy

/** A unary call in process, on one thread. A floor without retries, and gRPC's own retries by service config. */
open class GrpcBenchmark {
    @Benchmark
    fun floor(work: Work, channels: GrpcChannels) = channels.code(work, channels.bare)

    @Benchmark
    fun reprise(work: Work, channels: GrpcChannels) = channels.code(work, channels.reprise)

    @Benchmark
    fun own(work: Work, channels: GrpcChannels) = channels.code(work, channels.own)
}

/** The channels of one thread. */
@State(Scope.Thread)
open class GrpcChannels {
    lateinit var work: Work

    private val name = InProcessServerBuilder.generateName()
    private val server: Server = InProcessServerBuilder.forName(
        name,
    ).directExecutor().addService(service()).build().start()

    // gRPC refuses a backoff of nothing; a nanosecond is a timer's turn.
    private val policy = ReprisePolicy {
        maxAttempts = ATTEMPTS
        backoff = Backoff.fixed(Duration.ofNanos(1))
        quota = TokenBucketSettings { capacity(Int.MAX_VALUE) }
        trace = false
    }

    val bare: ManagedChannel = channel { }
    val reprise: ManagedChannel =
        channel { intercept(RetryClientInterceptor(JavaRetrier.of(policy)) as ClientInterceptor) }
    val own: ManagedChannel = channel { enableRetry().defaultServiceConfig(policy.toGrpcServiceConfig().config) }

    private fun channel(settings: InProcessChannelBuilder.() -> Unit): ManagedChannel =
        InProcessChannelBuilder.forName(name).directExecutor().apply(settings).build()

    private fun service(): ServerServiceDefinition {
        val handler = ServerCallHandler<ByteArray, ByteArray> { call, _ ->
            call.request(1)
            object : ServerCall.Listener<ByteArray>() {
                override fun onHalfClose() {
                    if (work.fails()) return call.close(Status.UNAVAILABLE, Metadata())
                    call.sendHeaders(Metadata())
                    call.sendMessage(EMPTY)
                    call.close(Status.OK, Metadata())
                }
            }
        }
        return ServerServiceDefinition.builder("bench.Echo").addMethod(METHOD, handler).build()
    }

    fun code(work: Work, channel: ManagedChannel): Int {
        this.work = work
        return try {
            ClientCalls.blockingUnaryCall(channel, METHOD, CallOptions.DEFAULT, EMPTY).size
        } catch (e: StatusRuntimeException) {
            e.status.code.value()
        }
    }

    @TearDown
    fun close() {
        listOf(bare, reprise, own).forEach(ManagedChannel::shutdownNow)
        server.shutdownNow()
    }

    private companion object {
        val EMPTY = ByteArray(0)

        val METHOD: MethodDescriptor<ByteArray, ByteArray> = MethodDescriptor.newBuilder(Bytes, Bytes)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("bench.Echo/Get")
            .setIdempotent(true)
            .build()
    }

    private object Bytes : MethodDescriptor.Marshaller<ByteArray> {
        override fun stream(value: ByteArray): InputStream = ByteArrayInputStream(value)

        override fun parse(stream: InputStream): ByteArray = stream.readBytes()
    }
}
