package dev.reprise.spring.method

import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.observation.RetryObservations
import org.springframework.aop.framework.AopConfigException
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor
import org.springframework.aop.support.AopUtils
import org.springframework.aop.support.ComposablePointcut
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.BeanFactory
import org.springframework.beans.factory.SmartInitializingSingleton
import org.springframework.core.Ordered
import org.springframework.util.ClassUtils
import java.lang.reflect.Modifier
import java.util.concurrent.ConcurrentHashMap

/**
 * Makes the proxies that retry methods with [Retry]. They stand outside all other advice, so that each attempt has its own
 * transaction; only `@Async` is further out.
 */
public class RetryPostProcessor :
    AbstractBeanFactoryAwareAdvisingPostProcessor(),
    SmartInitializingSingleton {
    private val names = ConcurrentHashMap<String, String>()

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
        advisor = DefaultPointcutAdvisor(pointcut, RetryAdvice({ registries.getObject() }, { scopeOf(beanFactory) }))
    }

    override fun postProcessAfterInitialization(bean: Any, beanName: String): Any {
        val proxy =
            try {
                super.postProcessAfterInitialization(bean, beanName)
            } catch (e: AopConfigException) {
                val type = AopUtils.getTargetClass(bean)
                if (!Modifier.isFinal(type.modifiers)) throw e
                throw BeanCreationException(beanName, RetryChecks.finalClass(type), e)
            }
        if (isEligible(bean, beanName)) check(proxy, beanName)
        return proxy
    }

    private fun scopeOf(beans: BeanFactory): AttemptScope {
        if (!HAS_OBSERVATIONS) return AttemptScope.None
        return beans.getBeanProvider(RetryObservations::class.java).ifAvailable?.let(AttemptScope::Observed)
            ?: AttemptScope.None
    }

    private fun check(proxy: Any, beanName: String) {
        val checks = RetryChecks(AopUtils.getTargetClass(proxy))
        checks.problems(AopUtils.isCglibProxy(proxy)).firstOrNull()?.let { throw BeanCreationException(beanName, it) }
        checks.names().forEach { names.putIfAbsent(it, beanName) }
        if (isStarted) checkNames()
    }

    /** Checks that the registry has all names. */
    override fun afterSingletonsInstantiated() {
        isStarted = true
        checkNames()
    }

    private fun checkNames() {
        if (names.isEmpty()) return
        val registry = beanFactory!!.getBeanProvider(RetryRegistry::class.java).ifAvailable
            ?: throw BeanCreationException(
                names.values.first(),
                "@Retry needs a bean of the type ${RetryRegistry::class.java.name}, and there is none",
            )
        for ((name, bean) in names) {
            try {
                registry[name]
            } catch (e: IllegalArgumentException) {
                throw BeanCreationException(bean, "@Retry(\"$name\"): ${e.message}")
            }
        }
    }

    private companion object {
        const val serialVersionUID = 1L

        val HAS_OBSERVATIONS = ClassUtils.isPresent(
            "io.micrometer.observation.ObservationRegistry",
            RetryPostProcessor::class.java.classLoader,
        )
    }
}
