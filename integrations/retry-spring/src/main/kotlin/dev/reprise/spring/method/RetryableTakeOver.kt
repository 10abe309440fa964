package dev.reprise.spring.method

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory
import org.springframework.beans.factory.support.BeanDefinitionRegistry
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor
import org.springframework.core.Ordered
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor

/**
 * As a bean, takes over the methods with Spring Framework's `@Retryable`. They keep their attributes and gain the
 * features of `@Retry`: attempts of futures and suspend functions, a quota, `Retry-After`, layers and metrics. The
 * retrier of each is in the registry under its class and name, such as `Orders.find`; a policy of that name in the
 * registry replaces the attributes. Overloaded methods have their parameters in the name, as in `Orders.find(String)`. Of two
 * classes called `Orders` one has its package in the name.
 *
 * Framework's own post-processor, which `@EnableResilientMethods` adds, is removed. Its `@ConcurrencyLimit` stays.
 */
public class RetryableTakeOver :
    BeanDefinitionRegistryPostProcessor,
    Ordered {
    override fun postProcessBeanDefinitionRegistry(registry: BeanDefinitionRegistry) {
        val beans = registry as ConfigurableListableBeanFactory
        for (name in beans.getBeanNamesForType(RetryAnnotationBeanPostProcessor::class.java, true, false)) {
            registry.removeBeanDefinition(name)
        }
    }

    /** After the configuration classes were read. */
    override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
}
