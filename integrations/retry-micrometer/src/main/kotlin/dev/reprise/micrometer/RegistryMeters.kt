package dev.reprise.micrometer

import dev.reprise.core.shell.text.FirstNames
import io.micrometer.core.instrument.MeterRegistry

/**
 * The meters of one registry: of the one client, or of each retrier by its name. The first
 * [maxClients][RetryMetricsBuilder.maxClients] names have meters of their own; later ones share `other`, retriers
 * without a name are `unnamed`. So it is with a client's operations, unless all of them have the same meters.
 */
internal class RegistryMeters(registry: MeterRegistry, private val settings: MetricsSettings) {
    private val group = MeterGroup(registry)
    private val clients = FirstNames(settings.maxClients) { client ->
        FirstNames(maxOf(1, settings.maxOperations)) { operation -> metersOf(client, operation) }
    }

    init {
        if (settings.client != null) of(null, null)
    }

    /** The meters of the [operation] of a [retrier]. */
    fun of(retrier: String?, operation: String?): OperationMeters =
        clients[settings.client ?: retrier][if (settings.maxOperations == 0) "all" else operation]

    /** Removes them all, and what a call that is being recorded may add yet. */
    fun close() = group.close()

    private fun metersOf(client: String, operation: String): OperationMeters {
        val tags = settings.tags.and("client", client, "operation", operation)
        return OperationMeters(group, tags, settings.histograms)
    }
}
