package dev.reprise.spring.method

import dev.reprise.core.CallOptions
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.RetryRegistry
import org.aopalliance.intercept.MethodInterceptor
import org.aopalliance.intercept.MethodInvocation
import org.springframework.aop.PointcutAdvisor
import org.springframework.aop.ProxyMethodInvocation
import org.springframework.aop.framework.Advised
import org.springframework.aop.interceptor.AsyncExecutionInterceptor
import org.springframework.aop.support.AopUtils
import org.springframework.beans.factory.DisposableBean
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
) : MethodInterceptor,
    DisposableBean {
    private val scope by lazy(scope)
    private val methods = ConcurrentHashMap<MethodClassKey, RetriedMethod>()

    private val open = OpenCalls()

    override fun invoke(invocation: MethodInvocation): Any? {
        val called = invocation.method
        val bean = invocation.`this`
        // Not the class of the target, which proxies with other interfaces may share.
        val key = MethodClassKey(called, bean?.javaClass)
        val method = methods[key] ?: methods.computeIfAbsent(key) {
            retried(called, bean, invocation as ProxyMethodInvocation)
        }
        return method.call(invocation as ProxyMethodInvocation)
    }

    /** Ends the calls that are under way when the context has closed: the beans of their attempts are gone. */
    override fun destroy(): Unit = open.close()

    private fun retried(called: Method, bean: Any?, invocation: ProxyMethodInvocation): RetriedMethod {
        for (type in typesOf(called, bean)) {
            val method = AopUtils.getMostSpecificMethod(called, type)
            val name = RetryChecks.nameOf(method, type) ?: RetryChecks.nameOf(called, type)
                ?: retryables?.nameOf(method, type, registry()) ?: continue
            val options = CallOptions.named("${type.simpleName}.${method.name}")
            val retrier = registry()[name].withOptions(options)
            val returned = RetryChecks.returned(method, type)
            val isFuture = CompletionStage::class.java.isAssignableFrom(returned)
            if (isFuture && isAsync(called, type, invocation)) return asyncMethod(retrier, scope, open)
            return retried(method, returned, retrier)
        }
        return RetriedMethod { it.proceed() }
    }

    /** Whether `@Async` calls this advice: its thread waits for the future that comes out. */
    private fun isAsync(called: Method, type: Class<*>, invocation: ProxyMethodInvocation): Boolean {
        val outer = (invocation.proxy as? Advised)?.advisors?.takeWhile { it.advice !== this } ?: return false
        return outer.any { advisor ->
            advisor.advice is AsyncExecutionInterceptor &&
                (advisor as? PointcutAdvisor)?.pointcut?.methodMatcher?.matches(called, type) != false
        }
    }

    /** The classes whose annotations count for [called] on [bean]; first those that have the method. */
    private fun typesOf(called: Method, bean: Any?): List<Class<*>> {
        if (bean == null) return listOf(called.declaringClass)
        val (owners, others) = RetryChecks.typesOf(bean).partition(called.declaringClass::isAssignableFrom)
        return owners + others.filterNot(Class<*>::isInterface)
    }

    private fun retried(method: Method, returned: Class<*>, retrier: JavaRetrier): RetriedMethod {
        val shared = retrier.retrier()
        val options = retrier.options()
        val isSuspending = KotlinDetector.isSuspendingFunction(method)
        return when {
            isSuspending && returned.name == RetryChecks.FLOW -> SuspendFlowMethod(shared, options, scope)
            isSuspending -> SuspendMethod(shared, options, scope, returnsNothing = returned == Void.TYPE)
            CompletionStage::class.java.isAssignableFrom(returned) -> futureMethod(retrier, scope, open)
            returned.name == RetryChecks.MONO -> monoMethod(shared, options, scope)
            returned.name == RetryChecks.FLUX -> fluxMethod(shared, options, scope)
            returned.name == RetryChecks.FLOW -> FlowMethod(shared, options)
            returned == Void.TYPE -> voidMethod(retrier, scope)
            else -> blockingMethod(retrier, scope)
        }
    }
}
