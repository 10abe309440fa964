package dev.reprise.spring.boot

import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import org.springframework.beans.factory.BeanFactory
import org.springframework.beans.factory.BeanFactoryAware
import org.springframework.beans.factory.ListableBeanFactory
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.beans.factory.config.BeanPostProcessor
import org.springframework.context.EnvironmentAware
import org.springframework.context.annotation.Role
import org.springframework.core.Ordered
import org.springframework.core.PriorityOrdered
import org.springframework.core.env.Environment
import org.springframework.stereotype.Component

/**
 * Lays the properties over a [RetryRegistry] of the application's own, as [RetryPolicyRefresh] does later. It is a
 * [RetryConfigurer] to see whether that registry has been given all of them, and logs if not.
 */
@Component(OwnRegistry.NAME)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
internal class OwnRegistry :
    BeanPostProcessor,
    PriorityOrdered,
    EnvironmentAware,
    BeanFactoryAware,
    RetryConfigurer {
    private lateinit var environment: Environment
    private lateinit var beans: ListableBeanFactory
    private var isGiven = false

    // Made before constructors are injected.
    override fun setEnvironment(environment: Environment) {
        this.environment = environment
    }

    override fun setBeanFactory(beanFactory: BeanFactory) {
        beans = beanFactory as ListableBeanFactory
    }

    /** Among the first, since other post-processors may need the registry. */
    override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE

    override fun configure(name: String, builder: JavaRetrierBuilder) {
        isGiven = true
    }

    override fun postProcessAfterInitialization(bean: Any, beanName: String): Any {
        if (bean is RetryRegistry && beanName != STARTERS) {
            bean.layOver(PolicyProperties.read(environment))
            if (!isGiven) warnOfOthers(beanName)
        }
        return bean
    }

    private fun warnOfOthers(registry: String) {
        val others = beans.getBeanNamesForType(RetryConfigurer::class.java, true, false).filter { it != NAME }
        if (others.isEmpty()) return
        warn(
            "$registry has not all beans of the type RetryConfigurer: pass them to its constructor (${others.joinToString()})",
        )
    }

    companion object {
        const val NAME: String = "repriseOwnRegistry"

        /** The name of the registry that the starter makes. */
        const val STARTERS: String = "repriseRegistry"
    }
}
