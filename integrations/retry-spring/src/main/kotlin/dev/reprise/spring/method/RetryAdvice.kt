package dev.reprise.spring.method

import dev.reprise.core.CallOptions
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.RetryRegistry
import org.aopalliance.intercept.MethodInterceptor
import org.aopalliance.intercept.MethodInvocation
import org.springframework.aop.ProxyMethodInvocation
import org.springframework.aop.support.AopUtils
import org.springframework.core.KotlinDetector
import org.springframework.core.MethodClassKey
import java.lang.reflect.Method
import java.util.concurrent.CompletionStage
import java.util.concurrent.ConcurrentHashMap

/** Retries the calls of methods with [Retry][dev.reprise.spring.Retry], each as its return type asks for. */
internal class RetryAdvice(
    private val registry: () -> RetryRegistry,
    scope: () -> AttemptScope,
    private val retryables: RetryableMethods?,
) : MethodInterceptor {
    private val scope by lazy(scope)
    private val methods = ConcurrentHashMap<MethodClassKey, RetriedMethod>()

    override fun invoke(invocation: MethodInvocation): Any? {
        val target = invocation.`this`?.let(AopUtils::getTargetClass) ?: invocation.method.declaringClass
        val key = MethodClassKey(invocation.method, target)
        val method = methods[key] ?: methods.computeIfAbsent(key) { retried(invocation.method, target) }
        return method.call(invocation as ProxyMethodInvocation)
    }

    private fun retried(called: Method, target: Class<*>): RetriedMethod {
        val method = AopUtils.getMostSpecificMethod(called, target)
        val name = RetryChecks.nameOf(method, target) ?: RetryChecks.nameOf(called, target)
            ?: retryables!!.nameOf(method, target, registry())!!
        val options = CallOptions.named("${target.simpleName}.${method.name}")
        return retried(method, registry()[name].withOptions(options), options)
    }

    private fun retried(method: Method, retrier: JavaRetrier, options: CallOptions): RetriedMethod {
        val returned = method.returnType
        val shared = retrier.retrier()
        return when {
            KotlinDetector.isSuspendingFunction(method) -> SuspendMethod(shared, options, scope)
            CompletionStage::class.java.isAssignableFrom(returned) -> FutureMethod(retrier, scope)
            returned.name == RetryChecks.MONO -> MonoMethod(shared, options, scope)
            returned.name == RetryChecks.FLUX -> FluxMethod(shared, options, scope)
            returned.name == RetryChecks.FLOW -> FlowMethod(shared, options)
            else -> BlockingMethod(retrier, scope)
        }
    }
}
