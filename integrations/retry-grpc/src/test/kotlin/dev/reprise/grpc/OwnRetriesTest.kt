package dev.reprise.grpc

import dev.reprise.build.logged
import dev.reprise.java.JavaRetrier
import io.grpc.Status.Code
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

/** The messages that the library logs in [block]. */
private fun lines(block: () -> Unit): List<String> = logged("dev.reprise", block).map { it.message }

class OwnRetriesTest :
    FunSpec({
        test("a channel whose own retries all fail is named too, and so is a method that must not be repeated") {
            for (method in listOf(Methods.READ, Methods.WRITE)) {
                val server = ScriptedServer(*Array(9) { Answer.fail(Code.UNAVAILABLE) })
                val lines = lines {
                    Link(Wire.NETTY, server, RetryClientInterceptor(JavaRetrier.of(QUICK)), onChannel = {
                        maxRetryAttempts(5).defaultServiceConfig(QUICK.toGrpcServiceConfig().config)
                    }).use { link -> runCatching { link.channel.unary(method) } }
                }
                lines.single { "maxRetryAttempts(0)" in it } shouldContain "the gRPC channel to "
                lines.any { "test.Echo/Write is not retried" in it } shouldBe (method == Methods.WRITE)
            }
        }

        test("a channel that retries by a policy of its own as well is named once; a transparent one is not") {
            val failure = Answer.fail(Code.UNAVAILABLE)
            val interceptor = RetryClientInterceptor(JavaRetrier.of(QUICK))
            val quiet = ScriptedServer(failure)
            lines {
                Link(Wire.NETTY, quiet, interceptor).use { it.channel.unary(Methods.READ) shouldBe "ok" }
            } shouldHaveSize 0

            val server = ScriptedServer(failure, Answer.ok("ok"), failure, Answer.ok("ok"))
            lines {
                Link(Wire.NETTY, server, interceptor, onChannel = {
                    maxRetryAttempts(5).defaultServiceConfig(QUICK.toGrpcServiceConfig().config)
                }).use { link -> repeat(2) { link.channel.unary(Methods.READ) shouldBe "ok" } }
            }.single() shouldContain "maxRetryAttempts(0)"
            server.seen.map { it.previousAttempts } shouldContainExactly
                listOf(emptyList(), listOf("1"), emptyList(), listOf("1"))
        }
    })
