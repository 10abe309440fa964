package dev.reprise.grpc

import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.ServerCall
import io.grpc.ServerCallHandler
import io.grpc.Status
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.time.Duration.Companion.nanoseconds

/** A call that remembers how it was closed. */
private class Closed : ServerCall<String, String>() {
    var status: Status? = null
    var trailers: Metadata? = null

    override fun request(numMessages: Int) = Unit

    override fun sendHeaders(headers: Metadata) = Unit

    override fun sendMessage(message: String) = Unit

    override fun close(status: Status, trailers: Metadata) {
        this.status = status
        this.trailers = trailers
    }

    override fun isCancelled(): Boolean = false

    override fun getMethodDescriptor(): MethodDescriptor<String, String> = Methods.READ
}

/** A handler that notes which request its thread works for, whenever gRPC calls it, and throws if it is told to. */
private class Noting : ServerCallHandler<String, String> {
    val served = ArrayList<Pair<String, ServedRequest?>>()
    var throws = false
    lateinit var call: ServerCall<String, String>

    private fun note(name: String) {
        served += name to ServedRequest.current()
        check(!throws)
    }

    override fun startCall(call: ServerCall<String, String>, headers: Metadata): ServerCall.Listener<String> {
        this.call = call
        note("start")
        return object : ServerCall.Listener<String>() {
            override fun onMessage(message: String) = note("message")

            override fun onHalfClose() = note("half close")

            override fun onReady() = note("ready")

            override fun onCancel() = note("cancel")

            override fun onComplete() = note("complete")
        }
    }
}

/** gRPC's threads serve many requests: each callback works for its own, and leaves nothing on its thread. */
class ServerScopeTest :
    FunSpec({
        val callbacks = listOf<Pair<String, (ServerCall.Listener<String>) -> Unit>>(
            "ready" to { it.onReady() },
            "message" to { it.onMessage("hello") },
            "half close" to { it.onHalfClose() },
            "cancel" to { it.onCancel() },
            "complete" to { it.onComplete() },
        )

        test("every callback runs for its request, and the thread works for none before and after") {
            val told = ArrayList<Upstream>()
            val handler = Noting()
            val headers = Metadata().apply { put(Pushback.PREVIOUS_ATTEMPTS, "1") }
            val listener = RetryServerInterceptor(told::add).interceptCall(Closed(), headers, handler)
            for ((name, callback) in callbacks) {
                withClue(name) {
                    ServedRequest.current().shouldBeNull()
                    callback(listener)
                    ServedRequest.current().shouldBeNull()
                }
            }
            told.single() shouldBe Upstream(2)
            handler.served.map { it.first } shouldContainExactly listOf("start") + callbacks.map { it.first }
            val request = handler.served.first().second!!
            request.upstream shouldBeSameInstanceAs told.single()
            handler.served.all { it.second === request } shouldBe true
        }

        test("a callback that throws leaves nothing on its thread either") {
            val handler = Noting()
            val interceptor = RetryServerInterceptor()
            val listener = interceptor.interceptCall(Closed(), Metadata(), handler)
            handler.throws = true
            for ((name, callback) in callbacks) {
                withClue(name) {
                    shouldThrow<IllegalStateException> { callback(listener) }
                    ServedRequest.current().shouldBeNull()
                }
            }
            shouldThrow<IllegalStateException> { interceptor.interceptCall(Closed(), Metadata(), handler) }
            ServedRequest.current().shouldBeNull()
        }

        test("a failure that has a cause is judged by it, and the server's own pushback stands") {
            for (own in listOf(null, "250")) {
                val closed = Closed()
                val handler = Noting()
                RetryServerInterceptor().interceptCall(closed, Metadata(), handler)
                handler.served.single().second!!.failed(IllegalStateException(), isMarked = true)
                val trailers = Metadata().apply { own?.let { put(Pushback.KEY, it) } }
                handler.call.close(Status.UNAVAILABLE, trailers)
                closed.trailers!![Pushback.KEY] shouldBe (own ?: "-1")
                handler.call.close(Status.UNAVAILABLE.withCause(IllegalStateException()), Metadata())
                closed.trailers!![Pushback.KEY].shouldBeNull()
            }
        }

        test("a mark is of one response: what the handler closes with stays as it is") {
            val mine = Metadata.Key.of("mine", Metadata.ASCII_STRING_MARSHALLER)
            val trailers = Metadata().apply { put(mine, "7") }
            fun closed(isMarked: Boolean): Metadata {
                val closed = Closed()
                val handler = Noting()
                RetryServerInterceptor().interceptCall(closed, Metadata(), handler)
                handler.served.single().second!!.failed(IllegalStateException(), isMarked)
                handler.call.close(Status.UNAVAILABLE, trailers)
                return closed.trailers!!
            }
            closed(isMarked = true).let { it[Pushback.KEY] to it[mine] } shouldBe ("-1" to "7")
            closed(isMarked = false).let { it[Pushback.KEY] to it[mine] } shouldBe (null to "7")
        }

        test("a pushback that the handler sets stands, also beside one of the failure that a retrier gave up on") {
            val received = Metadata().apply { put(Pushback.KEY, "7") }
            for ((own, expected) in listOf("250" to "250", "7" to "-1", null to "-1")) {
                val closed = Closed()
                val handler = Noting()
                RetryServerInterceptor().interceptCall(closed, Metadata(), handler)
                val failure = Status.UNAVAILABLE.asRuntimeException(received)
                handler.served.single().second!!.failed(failure, isMarked = true)
                handler.call.close(Status.UNAVAILABLE, Metadata().apply { own?.let { put(Pushback.KEY, it) } })
                closed.trailers!![Pushback.KEY] shouldBe expected
            }
        }

        test("the longest wait is the widest bound of the policy, of whatever kind, and a minute without one") {
            fun most(vararg bounds: ServerDelayBound) = Pushback.mostOf(
                RetryPolicy { serverDelays = bounds.map { ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, it) } },
            )
            most() shouldBe 60_000_000_000
            most(ServerDelayBound.clamp(7.nanoseconds)) shouldBe 7
            most(ServerDelayBound.atLeast(8.nanoseconds)) shouldBe 8
            most(ServerDelayBound.add(9.nanoseconds)) shouldBe 9
            most(ServerDelayBound.atLeast(8.nanoseconds), ServerDelayBound.clamp(3.nanoseconds)) shouldBe 8
        }

        test("texts name what they are") {
            "$GrpcErrors" shouldBe "grpc"
            val config = RetryPolicy.STANDARD.toGrpcServiceConfig()
            "$config" shouldBe "${config.config}, dropped: ${config.dropped}"
        }
    })
