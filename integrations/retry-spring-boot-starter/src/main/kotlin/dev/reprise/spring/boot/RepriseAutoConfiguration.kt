package dev.reprise.spring.boot

import dev.reprise.core.LoggingListener
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.boot.internal.RepriseProperties
import dev.reprise.spring.method.RetryPostProcessor
import dev.reprise.spring.method.RetryableTakeOver
import org.springframework.beans.factory.ObjectProvider
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty
import org.springframework.boot.autoconfigure.condition.SearchStrategy
import org.springframework.boot.context.properties.EnableConfigurationProperties
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Import
import org.springframework.context.annotation.ImportRuntimeHints
import org.springframework.context.annotation.Role
import org.springframework.core.env.Environment

/**
 * Makes the [RetryRegistry] of the policies in the application's properties, and switches `@Retry` on.
 *
 * All beans of the starter have names that begin with `reprise`. Boot starts no application with two beans of one name, and
 * resilience4j's starter has a `retryRegistry` and an endpoint `retries` as well.
 */
@AutoConfiguration
@EnableConfigurationProperties(RepriseProperties::class)
@Import(OwnRegistry::class)
@ImportRuntimeHints(RepriseRuntimeHints::class)
public class RepriseAutoConfiguration {
    /**
     * The retriers of `reprise.policies.*`, with all beans of the type [RetryConfigurer]. The properties lie over a registry of the
     * application's own as well, from the start. Its configurers are those that it was made with; a warning names the beans if it
     * has not all of them.
     */
    @Bean(OwnRegistry.STARTERS)
    @ConditionalOnMissingBean
    internal fun retryRegistry(environment: Environment, configurers: ObjectProvider<RetryConfigurer>): RetryRegistry =
        RetryRegistry(emptyMap(), configurers.orderedStream().toList(), over = PolicyProperties.read(environment))

    /** Reads the policies again when the environment has changed. */
    @Bean("reprisePolicyRefresh")
    internal fun retryPolicyRefresh(environment: Environment, registry: RetryRegistry): RetryPolicyRefresh =
        RetryPolicyRefresh(environment, registry)

    /** Logs what the retriers do, if `reprise.logging` says so. */
    @Bean("repriseLogging")
    @ConditionalOnProperty("reprise.logging")
    internal fun retryLogging(): RetryConfigurer = RetryConfigurer { _, builder -> builder.listener(LoggingListener()) }

    @Bean("reprisePropertyNames")
    internal fun retryPropertyNames(environment: Environment): PropertyNames = PropertyNames(environment)

    public companion object {
        /** Makes the proxies of beans with `@Retry`: of their classes, as Boot does, unless `spring.aop.proxy-target-class` is off. */
        @Bean("repriseRetryPostProcessor")
        @JvmStatic
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        @ConditionalOnClass(name = ["org.aopalliance.intercept.MethodInterceptor"])
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        public fun retryPostProcessor(environment: Environment): RetryPostProcessor = RetryPostProcessor().apply {
            isProxyTargetClass = environment.getProperty("spring.aop.proxy-target-class", Boolean::class.java, true)
        }

        /** Takes over Spring Framework's `@Retryable`, if `reprise.take-over-retryable` says so. */
        @Bean("repriseRetryableTakeOver")
        @JvmStatic
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        @ConditionalOnClass(
            name = [
                "org.springframework.resilience.annotation.Retryable",
                "org.aopalliance.intercept.MethodInterceptor",
            ],
        )
        @ConditionalOnProperty("reprise.take-over-retryable")
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        public fun retryableTakeOver(): RetryableTakeOver = RetryableTakeOver()
    }
}
