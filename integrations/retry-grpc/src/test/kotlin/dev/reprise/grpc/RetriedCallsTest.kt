package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.ManagedChannel
import io.grpc.MethodDescriptor
import io.grpc.Status.Code
import io.grpc.StatusRuntimeException
import io.grpc.stub.ClientCalls
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import kotlin.time.Duration.Companion.milliseconds

internal val QUICK = RetryPolicy { backoff = Backoff.fixed(1.milliseconds) }

internal fun ManagedChannel.unary(
    method: MethodDescriptor<String, String>,
    options: CallOptions = CallOptions.DEFAULT,
): String = ClientCalls.blockingUnaryCall(this, method, options, "hello")

internal fun ManagedChannel.list(options: CallOptions = CallOptions.DEFAULT): List<String> =
    ClientCalls.blockingServerStreamingCall(this, Methods.LIST, options, "hello").asSequence().toList()

class RetriedCallsTest :
    FunSpec({
        val interceptor = RetryClientInterceptor(JavaRetrier.of(QUICK))

        for (wire in Wire.entries) {
            context("$wire") {
                test("a unary call is retried, with its message and the number of attempts before") {
                    val server = ScriptedServer(Answer.fail(Code.UNAVAILABLE), Answer.fail(Code.UNAVAILABLE))
                    Link(wire, server, interceptor).use { it.channel.unary(Methods.READ) shouldBe "ok" }
                    server.seen.map { it.previousAttempts } shouldContainExactly
                        listOf(emptyList(), listOf("1"), listOf("2"))
                    server.seen.map { it.message } shouldContainExactly List(3) { "hello" }
                }

                test("headers and a message before the failure are held back") {
                    val server = ScriptedServer(
                        Answer.fail(Code.UNAVAILABLE).copy(messages = listOf("lost"), sendsHeaders = true),
                    )
                    Link(wire, server, interceptor).use { it.channel.unary(Methods.READ) shouldBe "ok" }
                    server.seen shouldHaveSize 2
                }

                test("a stream is retried until its first message") {
                    val server = ScriptedServer(
                        Answer.fail(Code.UNAVAILABLE).copy(sendsHeaders = true),
                        Answer.ok("a", "b", "c"),
                    )
                    Link(wire, server, interceptor).use { it.channel.list() shouldContainExactly listOf("a", "b", "c") }
                    server.seen shouldHaveSize 2
                }

                test("a stream that fails after its first message ends") {
                    val server =
                        ScriptedServer(Answer.fail(Code.UNAVAILABLE).copy(messages = listOf("a"), sendsHeaders = true))
                    Link(wire, server, interceptor).use { link ->
                        val stream = ClientCalls.blockingServerStreamingCall(
                            link.channel,
                            Methods.LIST,
                            CallOptions.DEFAULT,
                            "x",
                        )
                        stream.next() shouldBe "a"
                        shouldThrow<StatusRuntimeException> { stream.hasNext() }.status.code shouldBe Code.UNAVAILABLE
                    }
                    server.seen shouldHaveSize 1
                }

                test("the last attempt's status and trailers arrive, and the trace is found") {
                    val failure = Answer.fail(Code.UNAVAILABLE, "note" to "kept")
                    val server = ScriptedServer(failure, failure, failure, failure)
                    Link(wire, server, interceptor).use { link ->
                        val thrown = shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ) }
                        thrown.status.code shouldBe Code.UNAVAILABLE
                        thrown.status.description shouldBe "as scripted"
                        thrown.trailers!![
                            io.grpc.Metadata.Key.of("note", io.grpc.Metadata.ASCII_STRING_MARSHALLER),
                        ] shouldBe "kept"
                        RetryTrace.of(thrown)!!.run {
                            attempts shouldBe 3
                            reason shouldBe StopReason.ATTEMPTS
                        }
                    }
                    server.seen shouldHaveSize 3
                }

                test("a final status is the caller's as it came, with the rule that made it final") {
                    val server = ScriptedServer(Answer.fail(Code.NOT_FOUND))
                    Link(wire, server, interceptor).use { link ->
                        val thrown = shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ) }
                        thrown.status.code shouldBe Code.NOT_FOUND
                        RetryTrace.of(thrown)!!.detail shouldBe "no rule retries status NOT_FOUND"
                    }
                    server.seen shouldHaveSize 1
                }
            }
        }
    })
