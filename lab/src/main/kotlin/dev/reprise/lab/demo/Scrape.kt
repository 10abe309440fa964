package dev.reprise.lab.demo

import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import io.micrometer.prometheusmetrics.PrometheusConfig
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry

/** The demo's calls as a Prometheus server would scrape them. */
internal class Scrape {
    private val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)

    // Held here, since gauges do not hold what they look at.
    private var watched: Retrier? = null

    val listener: RetryMetrics = RetryMetrics(registry, "demo")

    /** Shows the quota of [retrier] as well. */
    fun watch(retrier: Retrier) {
        watched = retrier
        listener.watch(retrier.quota, retrier.sendRate)
    }

    /** The text in Prometheus' own format. */
    fun text(): String = registry.scrape()
}
