package dev.reprise.spring.method

import dev.reprise.core.Attempt
import dev.reprise.coroutines.shell.failureOf
import dev.reprise.coroutines.shell.park
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.RunnableAttempt
import dev.reprise.java.WaitGuard
import org.springframework.aop.ProxyMethodInvocation
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage

/** Calls one method with retries. An invocation goes down the chain of advice once, so each attempt has a clone of its own. */
internal fun interface RetriedMethod {
    fun call(invocation: ProxyMethodInvocation): Any?
}

/** A method that ends when it returns. */
internal fun blockingMethod(retrier: JavaRetrier, scope: AttemptScope) = RetriedMethod {
    retrier.callWithAttempt(BlockingAttempt<Any?, Throwable>(attempts(it, retrier, scope)))
}

/** A method that returns nothing: there is no result to judge. */
internal fun voidMethod(retrier: JavaRetrier, scope: AttemptScope) = RetriedMethod {
    val attempts = attempts(it, retrier, scope)
    retrier.runWithAttempt(RunnableAttempt<Throwable> { attempt -> attempts(attempt) })
    null
}

/** The attempts of one call on its thread; a copy of one runs on another, in the [CallContext] of the call. */
private fun attempts(invocation: ProxyMethodInvocation, retrier: JavaRetrier, scope: AttemptScope): (Attempt) -> Any? {
    val context = if (retrier.policy().hedge == null) null else CallContext.capture()
    return { attempt ->
        val work = { scope.within(attempt) { invocation.invocableClone().proceed() } }
        if (context == null || !attempt.isCopy) work() else context.within(work)
    }
}

/**
 * A method that returns a `CompletableFuture`. Its attempts run in the [CallContext] of its caller. A call is [open]
 * until it ends.
 */
internal fun futureMethod(retrier: JavaRetrier, scope: AttemptScope, open: OpenCalls) = RetriedMethod { invocation ->
    val context = CallContext.capture()
    val attempts = AsyncAttempt { attempt ->
        context.within {
            @Suppress("UNCHECKED_CAST")
            scope.within(attempt) { invocation.invocableClone().proceed() as CompletionStage<Any?>? }
        }
    }
    retrier.callAsyncWithAttempt(attempts).also { open += it }
}

/**
 * A method of `@Async`. The thread that it was given waits for its future in any case, so all its attempts are made there.
 * A call is [open] until it ends; completing it interrupts that thread.
 */
internal fun asyncMethod(retrier: JavaRetrier, scope: AttemptScope, open: OpenCalls) = RetriedMethod { invocation ->
    val attempts = attempts(invocation, retrier, scope)
    val call = CompletableFuture<Any?>()
    val guard = WaitGuard()
    open += call
    call.whenComplete { _, _ -> guard.fire() }
    val end = runCatching {
        retrier.callWithAttempt(
            object : BlockingAttempt<Any?, Throwable> {
                override fun make(attempt: Attempt) = resultOf(attempts(attempt))

                override fun mayRepeat() = !call.isDone
            },
        )
    }
    if (end.exceptionOrNull() is InterruptedException) Thread.currentThread().interrupt()
    guard.end()
    end.fold(call::complete, call::completeExceptionally)
    call
}

private fun resultOf(stage: Any?): Any? {
    val future = requireNotNull(stage as CompletionStage<*>?) { "the method's future is null" }.toCompletableFuture()
    try {
        park(future)
    } catch (e: InterruptedException) {
        future.cancel(true)
        throw e
    }
    val failure = failureOf(future) ?: return future.join()
    throw if (failure is CompletionException) failure.cause ?: failure else failure
}
