package dev.reprise.spring.boot

import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.micrometer.Watch
import dev.reprise.spring.RetryConfigurer
import io.micrometer.core.instrument.MeterRegistry
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
}

/** One set of meters for each name, however many retriers have it; the gauges are those of the one that is not a host's. */
internal class MetricsConfigurer(private val meters: MeterRegistry, private val settings: RepriseProperties.Metrics) :
    RetryConfigurer {
    private val made = ConcurrentHashMap<String, RetryMetrics>()
    private val watches = ConcurrentHashMap<String, Watch>()

    private fun of(name: String): RetryMetrics = made.computeIfAbsent(name) {
        RetryMetrics(meters, name) {
            maxOperations = settings.maxOperations
            histograms = settings.histograms
        }
    }

    override fun configure(name: String, builder: JavaRetrierBuilder) {
        builder.listener(of(name))
    }

    override fun updated(name: String, retrier: JavaRetrier) {
        val watch = retrier.retrier().run { of(name).watch(quota, sendRate) }
        watches.put(name, watch)?.close()
    }
}
