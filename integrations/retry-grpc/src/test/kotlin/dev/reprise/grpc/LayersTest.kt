package dev.reprise.grpc

import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.coroutines.asContextElement
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.ManagedChannel
import io.grpc.ManagedChannelBuilder
import io.grpc.Metadata
import io.grpc.ServerCall
import io.grpc.ServerInterceptor
import io.grpc.ServerInterceptors
import io.grpc.ServerServiceDefinition
import io.grpc.ServiceDescriptor
import io.grpc.Status.Code
import io.grpc.StatusRuntimeException
import io.grpc.kotlin.CoroutineContextServerInterceptor
import io.grpc.stub.MetadataUtils
import io.grpc.stub.ServerCalls
import io.grpc.util.TransmitStatusRuntimeExceptionInterceptor
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.delay
import java.io.IOException
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration.Companion.milliseconds
import io.grpc.kotlin.ServerCalls as KotlinServerCalls

/** A server whose handler makes the call [read] on its own thread. */
private fun relay(read: () -> String): ServerServiceDefinition {
    val service = ServiceDescriptor.newBuilder(Methods.SERVICE).addMethod(Methods.READ).build()
    val handler = ServerCalls.asyncUnaryCall<String, String> { _, response ->
        try {
            response.onNext(read())
            response.onCompleted()
        } catch (e: StatusRuntimeException) {
            response.onError(e)
        }
    }
    return ServerServiceDefinition.builder(service).addMethod(Methods.READ, handler).build()
}

/**
 * A client, a server in the middle, and a leaf: both the client and the middle make three attempts, the middle by an
 * interceptor unless it has a retrier [around] its call.
 */
private class Tiers(vararg answers: Answer, around: JavaRetrier? = null) : AutoCloseable {
    val leaf = ScriptedServer(*answers)
    val upstreams = CopyOnWriteArrayList<Upstream>()
    private val retries = RetryClientInterceptor(JavaRetrier.of(QUICK))
    private val below = Link(Wire.IN_PROCESS, leaf, *listOfNotNull(retries.takeIf { around == null }).toTypedArray())

    private fun read() = below.channel.unary(Methods.READ)

    private val middle = Wire.IN_PROCESS.server()
        .addService(
            ServerInterceptors.intercept(
                relay { around?.call<String, Exception>(::read) ?: read() },
                RetryServerInterceptor(upstreams::add),
            ),
        )
        .build()
        .start()
    val channel: ManagedChannel = Wire.IN_PROCESS.channel(middle).intercept(retries).build()

    override fun close() {
        channel.shutdownNow()
        middle.shutdownNow()
        below.close()
    }
}

/** Calls [service], which has [interceptors], through a channel that [channel] builds. */
private fun <T> served(
    service: ServerServiceDefinition,
    vararg interceptors: ServerInterceptor,
    channel: ManagedChannelBuilder<*>.() -> Unit = {},
    wire: Wire = Wire.IN_PROCESS,
    call: (ManagedChannel) -> T,
): T {
    val server = wire.server().addService(service).apply { interceptors.forEach(::intercept) }.build().start()
    val made = wire.channel(server).apply(channel).build()
    try {
        return call(made)
    } finally {
        made.shutdownNow()
        server.shutdownNow()
    }
}

/** The failure of a call that gave up although it could have retried. */
private fun gaveUp(): Throwable =
    shouldThrow<IOException> { JavaRetrier.of(QUICK).call<Unit, IOException> { throw IOException("below") } }

class LayersTest :
    FunSpec({
        val dead = Array(30) { Answer.fail(Code.UNAVAILABLE) }

        test("a failure that a retrier below gave up on is not retried: the leaf sees three requests, not nine") {
            Tiers(*dead).use { tiers ->
                val thrown = shouldThrow<StatusRuntimeException> { tiers.channel.unary(Methods.READ) }
                thrown.status.code shouldBe Code.UNAVAILABLE
                thrown.trailers!![Pushback.KEY] shouldBe "-1"
                tiers.leaf.seen shouldHaveSize 3
                tiers.upstreams shouldContainExactly listOf(Upstream(1))
            }
        }

        test("a pushback of the leaf that the middle only passes on does not hide that a retrier there gave up") {
            val pushing = Array(30) { Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to "7") }
            val around = JavaRetrier.of(QUICK.with { classifyFirst(GrpcErrors) })
            for (retrier in listOf(null, around)) {
                Tiers(*pushing, around = retrier).use { tiers ->
                    val thrown = shouldThrow<StatusRuntimeException> { tiers.channel.unary(Methods.READ) }
                    thrown.trailers!!.getAll(Pushback.KEY)!!.toList() shouldContainExactly listOf("-1")
                    tiers.leaf.seen shouldHaveSize 3
                }
            }
        }

        test("a failure with the mark of a give-up carries pushback -1, and its caller makes one attempt") {
            val service = ServerServiceDefinition.builder(Methods.SERVICE).addMethod(
                Methods.READ,
                ServerCalls.asyncUnaryCall { _, response ->
                    response.onError(Code.UNAVAILABLE.toStatus().withCause(gaveUp()).asRuntimeException())
                },
            ).build()
            val seen = CopyOnWriteArrayList<Upstream>()
            val thrown = served(
                service,
                RetryServerInterceptor(seen::add),
                channel = { intercept(RetryClientInterceptor(JavaRetrier.of(QUICK))) },
                wire = Wire.NETTY,
            ) { shouldThrow<StatusRuntimeException> { it.unary(Methods.READ) } }
            thrown.trailers!![Pushback.KEY] shouldBe "-1"
            seen shouldContainExactly listOf(Upstream(1))
        }

        test(
            "an exception that a handler throws carries the mark if an interceptor that was added before makes it a status",
        ) {
            val service = ServerServiceDefinition.builder(Methods.SERVICE).addMethod(
                Methods.READ,
                ServerCalls.asyncUnaryCall { _, _ ->
                    throw Code.UNAVAILABLE.toStatus().withCause(gaveUp()).asRuntimeException()
                },
            ).build()
            val added = TransmitStatusRuntimeExceptionInterceptor.instance()
            val thrown = served(service, added, RetryServerInterceptor()) {
                shouldThrow<StatusRuntimeException> { it.unary(Methods.READ) }
            }
            thrown.status.code shouldBe Code.UNAVAILABLE
            thrown.trailers!![Pushback.KEY] shouldBe "-1"
        }

        test("calls that a server makes for a retry make one attempt, and carry its number") {
            val previous = Metadata().also { it.put(Pushback.PREVIOUS_ATTEMPTS, "4") }
            Tiers(*dead).use { tiers ->
                val call = io.grpc.ClientInterceptors.intercept(
                    tiers.channel,
                    MetadataUtils.newAttachHeadersInterceptor(previous),
                ).newCall(Methods.READ, CallOptions.DEFAULT)
                call.begin().closed.get(30, TimeUnit.SECONDS).code shouldBe Code.UNAVAILABLE
                tiers.upstreams.first().attempt shouldBe 5
                tiers.leaf.seen.first().previousAttempts shouldContainExactly listOf("4")
                tiers.leaf.seen.size shouldBeLessThanOrEqualTo 3
            }
        }

        test("of the caller's deadline and a shorter time that Envoy tells the shorter one counts") {
            val told = CopyOnWriteArrayList<Upstream>()
            val expected = Metadata().also {
                it.put(Metadata.Key.of("x-envoy-expected-rq-timeout-ms", Metadata.ASCII_STRING_MARSHALLER), "50")
            }
            served(
                ScriptedServer().service(),
                RetryServerInterceptor(told::add),
                channel = { intercept(MetadataUtils.newAttachHeadersInterceptor(expected)) },
            ) { it.unary(Methods.READ, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS)) }
            told.single() shouldBe Upstream(1).within(50.milliseconds)
        }

        test("a coroutine server's calls belong to its request with the interceptor that the page shows") {
            val seen = CopyOnWriteArrayList<ServedRequest?>()
            val service = ServerServiceDefinition.builder(Methods.SERVICE).addMethod(
                KotlinServerCalls.unaryServerMethodDefinition(EmptyCoroutineContext, Methods.READ) {
                    delay(1)
                    seen += ServedRequest.current()
                    "ok"
                },
            ).build()
            val takesAlong = object : CoroutineContextServerInterceptor() {
                override fun coroutineContext(call: ServerCall<*, *>, headers: Metadata) =
                    ServedRequest.current()?.asContextElement() ?: EmptyCoroutineContext
            }
            served(service, takesAlong, RetryServerInterceptor()) { it.unary(Methods.READ) } shouldBe "ok"
            seen.single().shouldNotBeNull()
        }

        test("the caller's deadline bounds the calls inside") {
            Tiers().use { tiers ->
                tiers.channel.unary(Methods.READ, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS)) shouldBe
                    "ok"
                tiers.leaf.seen.single().deadline.shouldNotBeNull().timeRemaining(
                    TimeUnit.SECONDS,
                ) shouldBeLessThanOrEqualTo
                    30
            }
        }

        test("a failure of the server's own carries no pushback") {
            Tiers(Answer.fail(Code.NOT_FOUND)).use { tiers ->
                val thrown = shouldThrow<StatusRuntimeException> { tiers.channel.unary(Methods.READ) }
                thrown.status.code shouldBe Code.NOT_FOUND
                thrown.trailers!!.containsKey(Pushback.KEY) shouldBe false
            }
        }
    })
