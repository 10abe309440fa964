package dev.reprise.spring.method

import dev.reprise.java.JavaRetrier
import dev.reprise.java.StageSupplier
import dev.reprise.java.ThrowingSupplier
import org.springframework.aop.ProxyMethodInvocation
import java.util.concurrent.CompletionStage

/** Calls one method with retries. An invocation goes down the chain of advice once, so each attempt has a clone of its own. */
internal fun interface RetriedMethod {
    fun call(invocation: ProxyMethodInvocation): Any?
}

/** A method that ends when it returns. */
internal class BlockingMethod(private val retrier: JavaRetrier) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any? =
        retrier.call(ThrowingSupplier<Any?, Throwable> { invocation.invocableClone().proceed() })
}

/** A method that returns a `CompletableFuture`. Its attempts see the thread-locals that context-propagation knows. */
internal class FutureMethod(private val retrier: JavaRetrier) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any {
        val context = CallContext.capture()
        return retrier.callAsync(
            StageSupplier {
                context.within {
                    @Suppress("UNCHECKED_CAST")
                    invocation.invocableClone().proceed() as CompletionStage<Any?>?
                }
            },
        )
    }
}
