package dev.reprise.java

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.future.future
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
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

        test("a withTimeout inside the work is a failure of the attempt, and is retried; another cancellation is not") {
            val hasty = JavaRetrier.of(RetryPolicy { noBackoff() })
            val scope = CoroutineScope(Dispatchers.Unconfined)
            for (ends in listOf<suspend () -> Unit>({ withTimeout(0) {} }, { throw CancellationException() })) {
                val first: suspend (Attempt) -> Int = {
                    if (it.number == 1) ends()
                    it.number
                }
                val forms = listOf<() -> Int>(
                    { hasty.callWithAttempt<Int, Exception> { runBlocking { first(it) } } },
                    { hasty.callAsyncWithAttempt { scope.future { first(it) } }.join() },
                    { hasty.callAsyncWithAttempt({ runBlocking { first(it) } }, Runnable::run).join() },
                )
                for (form in forms) {
                    val isTimeout = runCatching { ends() }.exceptionOrNull() is TimeoutCancellationException
                    if (isTimeout) form() shouldBe 2 else shouldThrow<CancellationException> { form() }
                }
            }
        }
    })
