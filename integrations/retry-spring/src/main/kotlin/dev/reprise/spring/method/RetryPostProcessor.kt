package dev.reprise.spring.method

import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.isThere
import dev.reprise.spring.observation.RetryObservations
import org.springframework.aop.framework.Advised
import org.springframework.aop.framework.AopConfigException
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor
import org.springframework.aop.interceptor.AsyncExecutionInterceptor
import org.springframework.aop.support.AopUtils
import org.springframework.aop.support.ComposablePointcut
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.BeanFactory
import org.springframework.beans.factory.SmartInitializingSingleton
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry
import org.springframework.core.Ordered
import org.springframework.resilience.annotation.Retryable
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.lang.reflect.Proxy
import java.util.concurrent.ConcurrentHashMap

/**
 * Makes the proxies that retry methods with [Retry]. They stand outside all other advice, so that each attempt has its own
 * transaction; only `@Async` is further out, and `@ConcurrencyLimit` if it is switched on after them.
 */
public class RetryPostProcessor :
    AbstractBeanFactoryAwareAdvisingPostProcessor(),
    SmartInitializingSingleton {
    private val atStart = Uses()
    private var retryables: RetryableMethods? = null

    @Volatile
    private var isStarted = false

    init {
        setBeforeExistingAdvisors(true)
        order = Ordered.LOWEST_PRECEDENCE - 1
    }

    override fun setBeanFactory(beanFactory: BeanFactory) {
        super.setBeanFactory(beanFactory)
        val registries = beanFactory.getBeanProvider(RetryRegistry::class.java)
        val pointcut = ComposablePointcut(AnnotationMatchingPointcut(Retry::class.java, true))
            .union(AnnotationMatchingPointcut(null, Retry::class.java, true))
        if (HAS_RETRYABLE && takesOver(beanFactory as ConfigurableListableBeanFactory)) {
            pointcut.union(AnnotationMatchingPointcut(Retryable::class.java, true))
                .union(AnnotationMatchingPointcut(null, Retryable::class.java, true))
            retryables = RetryableMethods(beanFactory)
        }
        val advice = RetryAdvice({ registries.getObject() }, { scopeOf(beanFactory) }, retryables)
        advisor = DefaultPointcutAdvisor(pointcut, advice)
        // Disposed of in reverse order: after the beans that are made later.
        (beanFactory as? DefaultSingletonBeanRegistry)?.registerDisposableBean(RetryAdvice::class.java.name, advice)
    }

    /**
     * In this context alone, as [RetryableTakeOver] works. By definitions alone: to make a factory bean now would keep later
     * post-processors from it, and from all that it needs.
     */
    private fun takesOver(beans: ConfigurableListableBeanFactory): Boolean =
        beans.getBeanNamesForType(RetryableTakeOver::class.java, true, false).isNotEmpty()

    override fun postProcessAfterInitialization(bean: Any, beanName: String): Any {
        // Another bean, which this one's definition returns: a second advice would make two calls of each.
        if (isRetried(bean)) return bean
        val proxy =
            try {
                super.postProcessAfterInitialization(bean, beanName)
            } catch (e: AopConfigException) {
                val type = AopUtils.getTargetClass(bean)
                if (!Modifier.isFinal(type.modifiers)) throw e
                throw BeanCreationException(beanName, RetryChecks.finalClass(type), e)
            }
        if (isRetried(proxy)) {
            goInside(proxy as Advised)
            check(proxy, beanName)
        }
        return proxy
    }

    /** `@Async` stays outside also if it was switched on with an order that brings it to the [proxy] first. */
    private fun goInside(proxy: Advised) {
        val async = proxy.advisors.indexOfLast { it.advice is AsyncExecutionInterceptor }
        if (async < proxy.advisors.indexOf(advisor)) return
        proxy.removeAdvisor(advisor!!)
        proxy.addAdvisor(async, advisor!!)
    }

    private fun isRetried(bean: Any) = (bean as? Advised)?.advisors.orEmpty().any { it === advisor }

    /** Not the class of a proxy: advice without a target is matched with the class that declares the method, which may be a parent. */
    override fun isEligible(targetClass: Class<*>): Boolean =
        !Proxy.isProxyClass(targetClass) && super.isEligible(targetClass)

    /** A proxy whose own interfaces have the annotation gets a proxy around it. */
    override fun isEligible(bean: Any, beanName: String): Boolean =
        super.isEligible(bean, beanName) || (Proxy.isProxyClass(bean.javaClass) && super.isEligible(bean.javaClass))

    private fun scopeOf(beans: BeanFactory): AttemptScope {
        if (!HAS_OBSERVATIONS) return AttemptScope.None
        return beans.getBeanProvider(RetryObservations::class.java).ifAvailable?.let(AttemptScope::Observed)
            ?: AttemptScope.None
    }

    private fun check(proxy: Any, beanName: String) {
        val uses = if (isStarted) Uses() else atStart
        for (type in RetryChecks.typesOf(proxy)) {
            val checks = RetryChecks(type, retryables != null)
            checks.problem(AopUtils.isCglibProxy(proxy))?.let { throw BeanCreationException(beanName, it) }
            checks.names().forEach { uses.names.putIfAbsent(it, beanName) }
            checks.taken().forEach { uses.taken += type to it }
        }
        if (isStarted) checkNames(uses)
    }

    /** Checks that the registry has all names. */
    override fun afterSingletonsInstantiated() {
        isStarted = true
        checkNames(atStart)
    }

    private fun checkNames(uses: Uses) {
        val names = uses.names
        val taken = uses.taken
        if (names.isEmpty() && taken.isEmpty()) return
        val registry = beanFactory!!.getBeanProvider(RetryRegistry::class.java).ifAvailable
            ?: throw BeanCreationException(
                names.values.firstOrNull() ?: taken.first().first.simpleName,
                "@Retry needs a bean of the type ${RetryRegistry::class.java.name}, and there is none",
            )
        // In an order of their own: the first of two classes with one simple name has the short name.
        val sorted = taken.sortedWith(compareBy({ it.first.name }, { "${it.second}" }))
        for ((type, method) in sorted) retryables!!.nameOf(method, type, registry)
        for ((name, bean) in names) {
            try {
                registry[name]
            } catch (e: IllegalArgumentException) {
                throw BeanCreationException(bean, "@Retry(\"$name\"): ${e.message}")
            }
        }
    }

    /**
     * The names and methods that beans need from the registry. Beans made at start share one; a later bean has its own, so
     * that it is refused only for its own annotations.
     */
    private class Uses {
        /** Names of retriers, each with a bean that has it. */
        val names = ConcurrentHashMap<String, String>()

        /** Methods with Framework's annotation, each with the class of its bean. */
        val taken: MutableSet<Pair<Class<*>, Method>> = ConcurrentHashMap.newKeySet()
    }

    private companion object {
        val HAS_RETRYABLE = isThere(RetryChecks.RETRYABLE)
        val HAS_OBSERVATIONS = isThere("io.micrometer.observation.ObservationRegistry")
    }
}
