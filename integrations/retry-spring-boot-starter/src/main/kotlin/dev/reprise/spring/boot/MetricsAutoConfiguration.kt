package dev.reprise.spring.boot

import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.micrometer.Watch
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.boot.internal.RepriseProperties
import io.micrometer.core.instrument.MeterRegistry
import org.springframework.beans.factory.ObjectProvider
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.context.annotation.Bean
import java.util.concurrent.ConcurrentHashMap

/** Measures the calls of all retriers, with the policy's name as the tag `client`, and `/http` after it for HTTP clients. */
@AutoConfiguration(
    before = [RepriseAutoConfiguration::class],
    afterName = ["org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"],
)
@ConditionalOnClass(MeterRegistry::class, RetryMetrics::class)
@ConditionalOnBean(MeterRegistry::class)
public class MetricsAutoConfiguration {
    @Bean("repriseMetrics")
    internal fun retryMetrics(
        meters: MeterRegistry,
        properties: RepriseProperties,
        registry: ObjectProvider<RetryRegistry>,
    ): MetricsConfigurer = MetricsConfigurer(meters, properties.metrics, registry)
}

/**
 * One set of meters for each name, and one for the HTTP clients of that name, `orders/http`, so that the requests of a retried method are
 * no calls of it. Of the hosts of the clients, the gauges show the quota with the least left, and the lowest send rate.
 */
internal class MetricsConfigurer(
    private val meters: MeterRegistry,
    private val settings: RepriseProperties.Metrics,
    registry: ObjectProvider<RetryRegistry>,
) : RetryConfigurer {
    private val made = ConcurrentHashMap<String, RetryMetrics>()
    private val watches = ConcurrentHashMap<String, Watched>()

    // Asked when a gauge is read: it is made with this configurer.
    private val registry by lazy { registry.getObject() }

    init {
        val most = settings.maxOperations
        if (most < 0) {
            throw PolicyPropertyException("reprise.metrics.max-operations", "must not be negative", "$most", null)
        }
    }

    private fun of(name: String): RetryMetrics = made.computeIfAbsent(name) {
        RetryMetrics(meters, name) {
            maxOperations(settings.maxOperations)
            if (settings.histograms) histograms()
        }
    }

    override fun configure(name: String, builder: JavaRetrierBuilder) {
        builder.listener(of(name))
    }

    override fun configureHost(name: String, builder: JavaRetrierBuilder) {
        builder.listener(of(clientsOf(name)))
        if (watches[clientsOf(name)] == null) watchHosts(name, registry.retrier(name))
    }

    override fun updated(name: String, retrier: JavaRetrier) {
        val own = retrier.retrier()
        watch(name, own.quota, own.sendRate)
        if (watches[clientsOf(name)] != null) watchHosts(name, own)
    }

    private fun watchHosts(name: String, own: Retrier) {
        val hosts = { registry.hosts(name).values.map { it.retrier() } }
        val quota = own.quota?.let { LeastQuota(it, hosts) }
        watch(clientsOf(name), quota, own.sendRate?.let { LowestRate(it, hosts) })
    }

    private fun watch(name: String, quota: Quota?, rate: SendRate?) {
        val watch = of(name).watch(quota, rate)
        watches.put(name, Watched(watch, quota, rate))?.watch?.close()
    }

    /** The metrics hold the [quota] and the [rate] weakly. */
    private class Watched(val watch: Watch, val quota: Quota?, val rate: SendRate?)
}

/** The name of the meters of the HTTP clients with the policy [name]. */
internal fun clientsOf(name: String) = "$name/http"

/** The quota with the least share of its tokens left: that of one of the [hosts], or [own] without these. */
private class LeastQuota(private val own: Quota, private val hosts: () -> List<Retrier>) : Quota by own {
    override val available: Int get() = least().available

    override val capacity: Int get() = least().capacity

    private fun least() = hosts().mapNotNull { it.quota }.minByOrNull { it.available.toDouble() / it.capacity } ?: own
}

/** The lowest send rate of the [hosts], or the busiest while none is limited; [own] without hosts. For gauges alone. */
private class LowestRate(private val own: SendRate, private val hosts: () -> List<Retrier>) :
    SendRate(own.settings, 0) {
    override val sendRate: Double? get() = lowest().sendRate

    override val measuredRate: Double get() = lowest().measuredRate

    private fun lowest() = hosts().mapNotNull { it.sendRate }
        .minWithOrNull(compareBy({ it.sendRate ?: Double.POSITIVE_INFINITY }, { -it.measuredRate })) ?: own
}
