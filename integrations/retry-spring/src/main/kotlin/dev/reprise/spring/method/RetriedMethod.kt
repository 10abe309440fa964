package dev.reprise.spring.method

import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.RunnableAttempt
import org.springframework.aop.ProxyMethodInvocation
import java.util.concurrent.CompletionStage

/** Calls one method with retries. An invocation goes down the chain of advice once, so each attempt has a clone of its own. */
internal fun interface RetriedMethod {
    fun call(invocation: ProxyMethodInvocation): Any?
}

/** A method that ends when it returns. */
internal class BlockingMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? =
        retrier.callWithAttempt(BlockingAttempt<Any?, Throwable> { scope.within(it) { once(invocation) } })
}

/** A method that returns nothing: there is no result to judge. */
internal class VoidMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? {
        retrier.runWithAttempt(RunnableAttempt<Throwable> { scope.within(it) { once(invocation) } })
        return null
    }
}

private fun once(invocation: ProxyMethodInvocation): Any? = invocation.invocableClone().proceed()

/** A method that returns a `CompletableFuture`. Its attempts run in the [CallContext] of its caller. */
internal class FutureMethod(private val retrier: JavaRetrier, private val scope: AttemptScope) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any {
        val context = CallContext.capture()
        return retrier.callAsyncWithAttempt(
            AsyncAttempt { attempt ->
                context.within {
                    @Suppress("UNCHECKED_CAST")
                    scope.within(attempt) { invocation.invocableClone().proceed() as CompletionStage<Any?>? }
                }
            },
        )
    }
}
