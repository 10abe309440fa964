package dev.reprise.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.CompletableFuture

/** The Java face in Kotlin's hands: a lambda means one form only. */
class FromKotlinTest :
    FunSpec({
        val retrier = JavaRetrier.of(RetryPolicy.STANDARD)
        val options = CallOptions("read")

        test("every form takes a lambda") {
            retrier.call<Int, Exception> { 1 } shouldBe 1
            retrier.withOptions(options).call<Int, Exception> { 1 } shouldBe 1
            retrier.callWithAttempt<Int, Exception> { it.number } shouldBe 1
            retrier.outcome { 1 }.getOrThrow() shouldBe 1
            retrier.callAsync { CompletableFuture.completedFuture(1) }.join() shouldBe 1
            retrier.withOptions(options).callAsync { CompletableFuture.completedFuture(1) }.join() shouldBe 1
            retrier.callAsyncWithAttempt { CompletableFuture.completedFuture(it.number) }.join() shouldBe 1
            retrier.callAsync({ 1 }, Runnable::run).join() shouldBe 1
        }
    })
