package dev.reprise.samples

import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.coroutines.asContextElement
import dev.reprise.grpc.GrpcCallOptions
import dev.reprise.grpc.GrpcErrors
import dev.reprise.grpc.RetryClientInterceptor
import dev.reprise.grpc.RetryServerInterceptor
import dev.reprise.grpc.toGrpcServiceConfig
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.ManagedChannelBuilder
import io.grpc.Metadata
import io.grpc.ServerBuilder
import io.grpc.ServerCall
import io.grpc.Status
import io.grpc.kotlin.CoroutineContextServerInterceptor
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlin.coroutines.EmptyCoroutineContext

@OptIn(ShellApi::class)
object TakesAlong : CoroutineContextServerInterceptor() {
    override fun coroutineContext(call: ServerCall<*, *>, headers: Metadata) =
        ServedRequest.current()?.asContextElement() ?: EmptyCoroutineContext
}

/** The snippets of the gRPC guide, run. */
class GrpcTest :
    FunSpec({
        val target = "localhost:1"

        test("the interceptors") {
            val retrier = JavaRetrier.of(RetryPolicy.STANDARD)
            val channel = ManagedChannelBuilder.forTarget(target)
                .usePlaintext()
                .maxRetryAttempts(0)
                .intercept(RetryClientInterceptor(retrier))
                .build()

            val interceptor = RetryClientInterceptor(retrier).idempotent { it.bareMethodName!!.startsWith("Get") }
            val options = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT)

            interceptor.toString() shouldContain "JavaRetrier"
            options.getOption(GrpcCallOptions.KEY)!!.repeat shouldBe Repeat.SAFE
            channel.shutdownNow().isShutdown shouldBe true
        }

        test("a rule for a status") {
            val transactions = RetryPolicy { classifier = GrpcErrors.on(Status.Code.ABORTED) or classifier }
            transactions.toGrpcServiceConfig().config.toString() shouldContain "ABORTED"
        }

        test("a server") {
            val server = ServerBuilder.forPort(0).intercept(RetryServerInterceptor()).build()
            server.isShutdown shouldBe false
            val coroutines = ServerBuilder.forPort(0).intercept(TakesAlong).intercept(RetryServerInterceptor()).build()
            coroutines.isShutdown shouldBe false
        }

        test("a service config") {
            val logged = mutableListOf<String>()
            val log = { line: String -> logged += line }

            val exported = RetryPolicy.STANDARD.toGrpcServiceConfig("shop.Orders")
            val channel = ManagedChannelBuilder.forTarget(target).defaultServiceConfig(exported.config).build()
            log(exported.dropped.joinToString())

            logged.single() shouldContain "quota"
            channel.shutdownNow()
        }
    })
