package dev.reprise.micrometer

import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.Tags

/** Builds [RetryMetrics]: as the receiver of `RetryMetrics { }` in Kotlin, as a chain of calls in Java. Not thread-safe. */
public class RetryMetricsBuilder internal constructor(client: String?) {
    private var settings = MetricsSettings(client)

    /** Sets more tags of every meter. */
    public fun tags(tags: Iterable<Tag>): RetryMetricsBuilder = with(settings.copy(tags = Tags.of(tags)))

    /** Tells the first [clients] names of retriers apart; later ones share `other`, those without a name are `unnamed`. */
    public fun maxClients(clients: Int): RetryMetricsBuilder = with(settings.copy(maxClients = clients))

    /**
     * Tells the first [operations] names of operations apart; later ones share `other`, calls without a name are `unnamed`.
     * With 0 all calls share `all`.
     */
    public fun maxOperations(operations: Int): RetryMetricsBuilder = with(settings.copy(maxOperations = operations))

    /** Gives attempts and waits buckets. Other buckets than these are a `MeterFilter`'s. */
    public fun histograms(): RetryMetricsBuilder = with(settings.copy(histograms = true))

    /** The metrics, in no registry yet. */
    public fun build(): RetryMetrics = RetryMetrics(settings)

    /** The metrics, in [registry]. */
    public fun bindTo(registry: MeterRegistry): RetryMetrics = build().also { it.bindTo(registry) }

    private fun with(changed: MetricsSettings) = apply { settings = changed }
}

/** The settings of [RetryMetrics]; the [client] is `null` where each retrier is one. */
internal data class MetricsSettings(
    val client: String?,
    val tags: Tags = Tags.empty(),
    val maxClients: Int = 100,
    val maxOperations: Int = 0,
    val histograms: Boolean = false,
) {
    init {
        require(client == null || client.isNotBlank()) { "client must not be blank: '$client'" }
        require(maxClients >= 1) { "maxClients must be at least 1: $maxClients" }
        require(maxOperations >= 0) { "maxOperations must not be negative: $maxOperations" }
    }
}
