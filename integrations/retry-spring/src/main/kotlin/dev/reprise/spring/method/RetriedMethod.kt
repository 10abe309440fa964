package dev.reprise.spring.method

import dev.reprise.core.Attempt
import dev.reprise.coroutines.shell.failureOf
import dev.reprise.coroutines.shell.park
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.RunnableAttempt
import org.springframework.aop.ProxyMethodInvocation
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage

/** Calls one method with retries. An invocation goes down the chain of advice once, so each attempt has a clone of its own. */
internal fun interface RetriedMethod {
    fun call(invocation: ProxyMethodInvocation): Any?
}

/** A method that ends when it returns. */
internal class BlockingMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? =
        retrier.callWithAttempt(BlockingAttempt<Any?, Throwable>(attempts(invocation, retrier, scope)))
}

/** A method that returns nothing: there is no result to judge. */
internal class VoidMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? {
        val attempts = attempts(invocation, retrier, scope)
        retrier.runWithAttempt(RunnableAttempt<Throwable> { attempts(it) })
        return null
    }
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
internal class FutureMethod(
    private val retrier: JavaRetrier,
    private val scope: AttemptScope,
    private val open: MutableSet<CompletableFuture<*>>,
) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any {
        val context = CallContext.capture()
        val call = retrier.callAsyncWithAttempt(
            AsyncAttempt { attempt ->
                context.within {
                    @Suppress("UNCHECKED_CAST")
                    scope.within(attempt) { invocation.invocableClone().proceed() as CompletionStage<Any?>? }
                }
            },
        )
        if (!call.isDone) {
            open += call
            call.whenComplete { _, _ -> open -= call }
        }
        return call
    }
}

/** A method of `@Async`. The thread that it was given waits for its future in any case, so all its attempts are made there. */
internal class AsyncMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any {
        val attempts = attempts(invocation, retrier, scope)
        return try {
            val result = retrier.callWithAttempt(BlockingAttempt<Any?, Throwable> { resultOf(attempts(it)) })
            CompletableFuture.completedFuture(result)
        } catch (e: Throwable) {
            if (e is InterruptedException) Thread.currentThread().interrupt()
            CompletableFuture.failedFuture<Any?>(e)
        }
    }

    private fun resultOf(stage: Any?): Any? {
        val future = requireNotNull(stage as CompletionStage<*>?) {
            "the method's future is null"
        }.toCompletableFuture()
        try {
            park(future)
        } catch (e: InterruptedException) {
            future.cancel(true)
            throw e
        }
        val failure = failureOf(future) ?: return future.join()
        throw if (failure is CompletionException) failure.cause ?: failure else failure
    }
}
