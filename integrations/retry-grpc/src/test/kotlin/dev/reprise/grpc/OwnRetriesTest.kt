package dev.reprise.grpc

import dev.reprise.java.JavaRetrier
import io.grpc.Status.Code
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.util.concurrent.CopyOnWriteArrayList
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** Collects what the library logs. */
private class Logged : Handler() {
    val lines = CopyOnWriteArrayList<String>()

    override fun publish(record: LogRecord) {
        lines += record.message
    }

    override fun flush() = Unit

    override fun close() = Unit
}

class OwnRetriesTest :
    FunSpec({
        test("a channel whose own retries all fail is named too, and so is a method that must not be repeated") {
            val logger = Logger.getLogger("dev.reprise")
            val logged = Logged()
            logger.addHandler(logged)
            for (method in listOf(Methods.READ, Methods.WRITE)) {
                logged.lines.clear()
                val server = ScriptedServer(*Array(9) { Answer.fail(Code.UNAVAILABLE) })
                Link(Wire.NETTY, server, RetryClientInterceptor(JavaRetrier.of(QUICK)), onChannel = {
                    maxRetryAttempts(5).defaultServiceConfig(QUICK.toGrpcServiceConfig().config)
                }).use { link -> runCatching { link.channel.unary(method) } }
                logged.lines.single { "maxRetryAttempts(0)" in it } shouldContain "the gRPC channel to "
                logged.lines.any { "test.Echo/Write is not retried" in it } shouldBe (method == Methods.WRITE)
            }
            logger.removeHandler(logged)
        }

        test("a channel that retries by a policy of its own as well is named once; a transparent one is not") {
            val logger = Logger.getLogger("dev.reprise")
            val logged = Logged()
            logger.addHandler(logged)
            val failure = Answer.fail(Code.UNAVAILABLE)
            val interceptor = RetryClientInterceptor(JavaRetrier.of(QUICK))
            val quiet = ScriptedServer(failure)
            Link(Wire.NETTY, quiet, interceptor).use { it.channel.unary(Methods.READ) shouldBe "ok" }
            logged.lines shouldHaveSize 0
            val server = ScriptedServer(failure, Answer.ok("ok"), failure, Answer.ok("ok"))
            Link(Wire.NETTY, server, interceptor, onChannel = {
                maxRetryAttempts(5).defaultServiceConfig(QUICK.toGrpcServiceConfig().config)
            }).use { link -> repeat(2) { link.channel.unary(Methods.READ) shouldBe "ok" } }
            logger.removeHandler(logged)
            logged.lines.single() shouldContain "maxRetryAttempts(0)"
            server.seen.map { it.previousAttempts } shouldContainExactly
                listOf(emptyList(), listOf("1"), emptyList(), listOf("1"))
        }
    })
