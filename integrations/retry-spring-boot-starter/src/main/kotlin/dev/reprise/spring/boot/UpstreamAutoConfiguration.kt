package dev.reprise.spring.boot

import dev.reprise.core.Upstream
import dev.reprise.micrometer.InboundMetrics
import dev.reprise.spring.server.RetryUpstreamWebFilter
import dev.reprise.spring.servlet.UpstreamFilter
import io.micrometer.core.instrument.MeterRegistry
import jakarta.servlet.Filter
import org.springframework.beans.factory.BeanFactory
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingFilterBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type
import org.springframework.boot.web.servlet.FilterRegistrationBean
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.Ordered
import org.springframework.core.ResolvableType
import org.springframework.core.annotation.Order
import org.springframework.web.server.WebFilter
import reactor.core.publisher.Mono
import java.util.function.Consumer

/**
 * Keeps the retries of a web application and those of its callers from multiplying, unless `reprise.upstream.enabled` is false.
 * The filters stand outside Spring Security's, so that whatever answers is marked.
 */
@AutoConfiguration(after = [MetricsAutoConfiguration::class])
@ConditionalOnProperty("reprise.upstream.enabled", matchIfMissing = true)
public class UpstreamAutoConfiguration {
    /** Counts requests by the number of their caller's attempt. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @ConditionalOnClass(MeterRegistry::class, InboundMetrics::class)
    @ConditionalOnBean(MeterRegistry::class)
    internal class Metrics {
        @Bean("repriseInboundMetrics")
        @ConditionalOnMissingBean
        internal fun retryInboundMetrics(meters: MeterRegistry): InboundMetrics = InboundMetrics(meters)
    }

    /** For servlets. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.SERVLET)
    @ConditionalOnClass(Filter::class)
    internal class ForServlets {
        @Bean("repriseUpstreamFilter")
        @ConditionalOnMissingFilterBean(UpstreamFilter::class)
        internal fun retryUpstreamFilter(beans: BeanFactory): FilterRegistrationBean<UpstreamFilter> =
            FilterRegistrationBean(UpstreamFilter(listenersIn(beans))).apply { order = FIRST }
    }

    /** For WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = Type.REACTIVE)
    @ConditionalOnClass(WebFilter::class, Mono::class)
    internal class ForWebFlux {
        @Bean("repriseUpstreamWebFilter")
        @ConditionalOnMissingBean
        @Order(FIRST)
        internal fun retryUpstreamWebFilter(beans: BeanFactory): RetryUpstreamWebFilter =
            RetryUpstreamWebFilter(listenersIn(beans))
    }

    private companion object {
        const val FIRST = Ordered.HIGHEST_PRECEDENCE + 10

        val LISTENER: ResolvableType = ResolvableType.forClassWithGenerics(Consumer::class.java, Upstream::class.java)

        /** Not by a parameter: for want of these Spring passes in consumers of which it does not know what they take. */
        fun listenersIn(beans: BeanFactory): Consumer<Upstream>? =
            beans.getBeanProvider<Consumer<Upstream>>(LISTENER).orderedStream().toList()
                .reduceOrNull { first, second -> first.andThen(second) }
    }
}
