package dev.reprise.spring.method

import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.context.annotation.Role

/**
 * Switches [Retry] on. Put it on a `@Configuration` that has a [RetryRegistry] bean. With the Spring Boot starter it is on already.
 */
@Target(AnnotationTarget.CLASS)
@Retention(AnnotationRetention.RUNTIME)
@MustBeDocumented
@Import(RepriseConfiguration::class)
public annotation class EnableReprise

/** The bean behind [EnableReprise]. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public open class RepriseConfiguration {
    public companion object {
        /** Makes the proxies of beans with [Retry]. */
        @Bean
        @JvmStatic
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        public fun repriseRetryPostProcessor(): RetryPostProcessor = RetryPostProcessor()
    }
}
