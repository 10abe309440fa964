package dev.reprise.micrometer

import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.Tags

/** Builds [RetryMetrics]: as the receiver of `RetryMetrics { }` in Kotlin, as a chain of calls in Java. Not thread-safe. */
public class RetryMetricsBuilder internal constructor(internal val client: String?) {
    init {
        require(client == null || client.isNotBlank()) { "client must not be blank: '$client'" }
    }

    internal var tags: Iterable<Tag> = Tags.empty()

    internal var maxClients: Int = 100
        set(value) {
            require(value >= 1) { "maxClients must be at least 1: $value" }
            field = value
        }

    internal var maxOperations: Int = 0
        set(value) {
            require(value >= 0) { "maxOperations must not be negative: $value" }
            field = value
        }

    internal var histograms: Boolean = false

    /** Sets more tags of every meter. */
    public fun tags(tags: Iterable<Tag>): RetryMetricsBuilder = apply { this.tags = tags }

    /** Tells the first [clients] names of retriers apart; later ones share `other`, those without a name are `unnamed`. */
    public fun maxClients(clients: Int): RetryMetricsBuilder = apply { maxClients = clients }

    /**
     * Tells the first [operations] names of operations apart; later ones share `other`, calls without a name are `unnamed`.
     * With 0 all calls share `all`.
     */
    public fun maxOperations(operations: Int): RetryMetricsBuilder = apply { maxOperations = operations }

    /** Gives attempts and waits buckets. Other buckets than these are a `MeterFilter`'s. */
    public fun histograms(): RetryMetricsBuilder = apply { histograms = true }

    internal fun copy() = RetryMetricsBuilder(client).also {
        it.tags = Tags.of(tags)
        it.maxClients = maxClients
        it.maxOperations = maxOperations
        it.histograms = histograms
    }

    /** The metrics, in no registry yet. */
    public fun build(): RetryMetrics = RetryMetrics(this)

    /** The metrics, in [registry]. */
    public fun bindTo(registry: MeterRegistry): RetryMetrics = build().also { it.bindTo(registry) }
}
