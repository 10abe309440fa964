package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Kind
import dev.reprise.faults.Soak
import dev.reprise.faults.SoakServer
import dev.reprise.java.JavaRetrier
import io.grpc.Attributes
import io.grpc.CallOptions
import io.grpc.Metadata
import io.grpc.Server
import io.grpc.ServerCall
import io.grpc.ServerCallHandler
import io.grpc.ServerServiceDefinition
import io.grpc.ServerTransportFilter
import io.grpc.Status
import io.kotest.core.spec.style.FunSpec
import java.net.URI
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

private val METHODS = mapOf(Kind.GET to Methods.READ, Kind.POST to Methods.WRITE, Kind.ONE_SHOT_PUT to Methods.COLLECT)

/** A gRPC server that echoes, and fails as [soak] says: refused, full, broken off before, between or after its message. */
private class EchoServer(private val soak: Soak) : SoakServer {
    private val served = AtomicInteger()
    private val connections = AtomicInteger()
    private val open = AtomicInteger()

    private val transports = object : ServerTransportFilter() {
        override fun transportReady(attributes: Attributes): Attributes {
            connections.incrementAndGet()
            open.incrementAndGet()
            return attributes
        }

        override fun transportTerminated(attributes: Attributes?) {
            open.decrementAndGet()
        }
    }

    val server: Server = Wire.NETTY.server().addService(service()).addTransportFilter(transports).build().start()

    private fun service(): ServerServiceDefinition = ServerServiceDefinition.builder(Methods.SERVICE).apply {
        for ((kind, method) in METHODS) addMethod(method, handler(isUnsafe = kind != Kind.GET))
    }.build()

    private fun handler(isUnsafe: Boolean) = ServerCallHandler<String, String> { call, _ ->
        call.request(2)
        object : ServerCall.Listener<String>() {
            private var message = ""

            override fun onMessage(message: String) {
                this.message = message
            }

            override fun onHalfClose() {
                served.incrementAndGet()
                call.answer(soak.fault(message, isUnsafe), message)
            }
        }
    }

    private fun ServerCall<String, String>.answer(fault: Int, message: String) = when (fault) {
        in 0..3 -> close(Status.UNAVAILABLE, Metadata())

        4, 5 -> close(Status.RESOURCE_EXHAUSTED, Metadata())

        6 -> close(Status.ABORTED, Metadata())

        7 -> {
            sendHeaders(Metadata())
            close(Status.UNAVAILABLE, Metadata())
        }

        8 -> {
            echo(message)
            close(Status.UNAVAILABLE, Metadata())
        }

        9 -> close(Status.CANCELLED, Metadata())

        else -> {
            echo(message)
            close(Status.OK, Metadata())
        }
    }

    private fun ServerCall<String, String>.echo(message: String) {
        sendHeaders(Metadata())
        sendMessage(message)
    }

    override fun uri(): URI = URI("grpc:/")

    override fun served(): Int = served.get()

    override fun connections(): Int = connections.get()

    override fun openConnections(): Int = open.get()

    override fun close() {
        server.shutdownNow()
        check(server.awaitTermination(10, TimeUnit.SECONDS)) { "the server did not end" }
    }
}

class SoakTest :
    FunSpec({
        test("many faulty calls lose nothing, double nothing and leak nothing").config(timeout = 1.hours) {
            lateinit var echo: EchoServer
            val policy = RetryPolicy {
                backoff = Backoff.fixed(1.milliseconds)
                quota = null
            }
            val channel = lazy {
                Wire.NETTY.channel(echo.server).maxRetryAttempts(0)
                    .intercept(RetryClientInterceptor(JavaRetrier.of(policy))).build()
            }

            val figures = Soak.run({ soak -> EchoServer(soak).also { echo = it } }) { kind, uri ->
                val call = channel.value.newCall(METHODS.getValue(kind), CallOptions.DEFAULT)
                val collected = Collected<String>()
                call.start(collected, Metadata())
                call.request(2)
                call.sendMessage(uri.path)
                call.halfClose()
                val isGood = collected.closed.get(1, TimeUnit.MINUTES).isOk
                if (isGood) collected.messages.single() else null
            }

            println("gRPC: $figures")
            channel.value.shutdownNow()
            figures.check(1)
        }
    })
