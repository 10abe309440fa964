package dev.reprise.spring.boot

import dev.reprise.micrometer.RetryMetrics
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import io.micrometer.core.instrument.MeterRegistry
import org.springframework.beans.factory.SmartInitializingSingleton
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.context.annotation.Bean
import java.util.concurrent.ConcurrentHashMap

/** Measures the calls of all retriers, with the policy's name as the tag `client`. */
@AutoConfiguration(
    before = [RepriseAutoConfiguration::class],
    afterName = ["org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"],
)
@ConditionalOnClass(MeterRegistry::class, RetryMetrics::class)
@ConditionalOnBean(MeterRegistry::class)
public class MetricsAutoConfiguration {
    @Bean("retryMetrics")
    internal fun retryMetrics(meters: MeterRegistry, properties: RepriseProperties): MetricsConfigurer =
        MetricsConfigurer(meters, properties.metrics)

    /** Shows the quotas and send rates of the retriers that have the policies' names. */
    @Bean("retryGauges")
    internal fun retryGauges(metrics: MetricsConfigurer, registry: RetryRegistry): SmartInitializingSingleton =
        SmartInitializingSingleton {
            for (name in registry.names) {
                val retrier = registry.retrier(name)
                metrics.of(name).watch(retrier.quota, retrier.sendRate)
            }
        }
}

/** One set of meters for each name, however many retriers have it. */
internal class MetricsConfigurer(private val meters: MeterRegistry, private val settings: RepriseProperties.Metrics) :
    RetryConfigurer {
    private val made = ConcurrentHashMap<String, RetryMetrics>()

    fun of(name: String): RetryMetrics = made.computeIfAbsent(name) {
        RetryMetrics(meters, name) {
            maxOperations = settings.maxOperations
            histograms = settings.histograms
        }
    }

    override fun configure(name: String, builder: dev.reprise.java.JavaRetrierBuilder) {
        builder.listener(of(name))
    }
}
