package dev.reprise.grpc

import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.ClientCall
import io.grpc.Metadata
import io.grpc.Status.Code
import io.grpc.StatusException
import io.grpc.kotlin.ClientCalls.serverStreamingRpc
import io.grpc.kotlin.ClientCalls.unaryRpc
import io.grpc.stub.ClientCalls
import io.grpc.stub.StreamObserver
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

private class Observed : StreamObserver<String> {
    val messages = mutableListOf<String>()
    val end = CompletableFuture<List<String>>()

    override fun onNext(value: String) {
        messages += value
    }

    override fun onError(t: Throwable) {
        end.completeExceptionally(t)
    }

    override fun onCompleted() {
        end.complete(messages)
    }
}

class StubsTest :
    FunSpec({
        val interceptor = RetryClientInterceptor(JavaRetrier.of(QUICK.with { quota = null }))
        val failure = Answer.fail(Code.UNAVAILABLE)

        for (wire in Wire.entries) {
            context("$wire") {
                test("futures and observers of Java stubs") {
                    val server =
                        ScriptedServer(failure, Answer.ok("a"), failure, Answer.ok("b"), failure, Answer.ok("c", "d"))
                    Link(wire, server, interceptor).use { link ->
                        val read = { link.channel.newCall(Methods.READ, CallOptions.DEFAULT) }
                        ClientCalls.futureUnaryCall(read(), "x").get(30, TimeUnit.SECONDS) shouldBe "a"
                        Observed().also { ClientCalls.asyncUnaryCall(read(), "x", it) }.end.get() shouldBe listOf("b")
                        val list = link.channel.newCall(Methods.LIST, CallOptions.DEFAULT)
                        Observed().also { ClientCalls.asyncServerStreamingCall(list, "x", it) }.end.get() shouldBe
                            listOf("c", "d")
                    }
                    server.seen shouldHaveSize 6
                }

                test("a future that is cancelled cancels the request") {
                    val server = ScriptedServer(Answer.SILENCE)
                    Link(wire, server, interceptor).use { link ->
                        val future = ClientCalls.futureUnaryCall(
                            link.channel.newCall(Methods.READ, CallOptions.DEFAULT),
                            "x",
                        )
                        while (server.seen.isEmpty()) Thread.sleep(1)
                        future.cancel(true)
                        server.awaitCancelled(1) shouldHaveSize 1
                    }
                }

                test("suspending calls and flows of Kotlin stubs") {
                    val server = ScriptedServer(failure, Answer.ok("a"), failure, Answer.ok("b", "c"))
                    Link(wire, server, interceptor).use { link ->
                        unaryRpc(link.channel, Methods.READ, "x") shouldBe "a"
                        serverStreamingRpc(link.channel, Methods.LIST, "x").toList() shouldContainExactly
                            listOf("b", "c")
                    }
                    server.seen shouldHaveSize 4
                }

                test(
                    "a Kotlin call that gives up throws the last status; a flow that is left early cancels its request",
                ) {
                    val open = Answer.SILENCE.copy(messages = listOf("a"), sendsHeaders = true)
                    val server = ScriptedServer(failure, failure, failure, open)
                    Link(wire, server, interceptor).use { link ->
                        shouldThrow<StatusException> { unaryRpc(link.channel, Methods.READ, "x") }.status.code shouldBe
                            Code.UNAVAILABLE
                        serverStreamingRpc(link.channel, Methods.LIST, "x").first() shouldBe "a"
                        server.awaitCancelled(1) shouldHaveSize 1
                    }
                }

                test("a coroutine that is cancelled in a wait ends at once") {
                    val waits = RetryPolicy {
                        backoff = dev.reprise.core.Backoff.fixed(java.time.Duration.ofMinutes(10))
                    }
                    val server = ScriptedServer(failure)
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(waits))).use { link ->
                        val job = launch { unaryRpc(link.channel, Methods.READ, "x") }
                        while (server.seen.isEmpty()) delay(1)
                        delay(20)
                        job.cancelAndJoin()
                        job.isCancelled shouldBe true
                    }
                }

                test("messages come as the caller asks for them, compressed if he says so") {
                    val server = ScriptedServer(failure, Answer.ok("a", "b", "c"))
                    Link(wire, server, interceptor).use { link ->
                        val call = link.channel.newCall(Methods.LIST, CallOptions.DEFAULT.withCompression("gzip"))
                        val collected = Collected<String>()
                        call.start(collected, Metadata())
                        call.setMessageCompression(true)
                        call.isReady shouldBe true
                        call.sendMessage("hello")
                        call.halfClose()
                        call.isReady shouldBe false
                        for (count in 1..3) {
                            call.request(1)
                            while (collected.messages.size < count) Thread.sleep(1)
                            Thread.sleep(5)
                            collected.messages shouldHaveSize count
                        }
                        collected.closed.get(30, TimeUnit.SECONDS).isOk shouldBe true
                    }
                    if (wire == Wire.NETTY) {
                        val encoding = Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER)
                        server.seen.map { it.headers[encoding] } shouldContainExactly listOf("gzip", "gzip")
                    }
                }

                test("calls that stream requests pass through") {
                    val server = ScriptedServer(failure)
                    Link(wire, server, interceptor).use { link ->
                        for (method in listOf(Methods.COLLECT, Methods.CHAT)) {
                            server.then(failure)
                            val call: ClientCall<String, String> = link.channel.newCall(method, CallOptions.DEFAULT)
                            (call is RetryingClientCall<*, *>) shouldBe false
                            call.begin().closed.get(30, TimeUnit.SECONDS).code shouldBe Code.UNAVAILABLE
                        }
                    }
                    server.seen shouldHaveSize 2
                }
            }
        }
    })
