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
    override fun call(invocation: ProxyMethodInvocation): Any? {
        val context = contextOfCopies(retrier)
        return retrier.callWithAttempt(
            BlockingAttempt<Any?, Throwable> { attempt ->
                within(context, attempt) { scope.within(attempt) { once(invocation) } }
            },
        )
    }
}

/** A method that returns nothing: there is no result to judge. */
internal class VoidMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? {
        val context = contextOfCopies(retrier)
        retrier.runWithAttempt(
            RunnableAttempt<Throwable> { attempt ->
                within(context, attempt) { scope.within(attempt) { once(invocation) } }
            },
        )
        return null
    }
}

/** The context of a call whose attempts may be copied on other threads; else `null`. */
private fun contextOfCopies(retrier: JavaRetrier): CallContext? =
    if (retrier.policy().hedge == null) null else CallContext.capture()

/** Only a copy runs on another thread than the caller's. */
private fun <T> within(context: CallContext?, attempt: Attempt, work: () -> T): T =
    if (context == null || !attempt.isCopy) work() else context.within(work)

private fun once(invocation: ProxyMethodInvocation): Any? = invocation.invocableClone().proceed()

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
        val context = contextOfCopies(retrier)
        return try {
            CompletableFuture.completedFuture(
                retrier.callWithAttempt(
                    BlockingAttempt<Any?, Throwable> { attempt ->
                        within(context, attempt) { scope.within(attempt) { resultOf(once(invocation)) } }
                    },
                ),
            )
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
