package dev.reprise.micrometer

import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tags
import java.util.concurrent.ConcurrentHashMap

/**
 * The meters of one registry: of the one client, or of each retrier by its name. The first
 * [maxClients][RetryMetricsBuilder.maxClients] names have meters of their own; later ones share `other`, retriers
 * without a name are `unnamed`.
 */
internal class RegistryMeters(registry: MeterRegistry, private val settings: RetryMetricsBuilder) {
    private val group = MeterGroup(registry)
    private val only = settings.client?.let(::metersOf)
    private val clients = ConcurrentHashMap<String, ClientMeters>()
    private val others by lazy { metersOf(OTHER) }

    fun of(retrier: String?): ClientMeters {
        if (only != null) return only
        val client = retrier ?: UNNAMED
        return clients[client] ?: ofNew(client)
    }

    /** Removes them all, and what a call that is being recorded may add yet. */
    fun close() = group.close()

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun ofNew(client: String): ClientMeters {
        clients[client]?.let { return it }
        val isLate = clients.size >= settings.maxClients && client != UNNAMED
        return if (isLate) others else metersOf(client).also { clients[client] = it }
    }

    private fun metersOf(client: String): ClientMeters {
        val tags = Tags.of(settings.tags).and(Meters.CLIENT, client)
        return ClientMeters(group, tags, settings.maxOperations, settings.histograms)
    }

    companion object {
        /** The client of retriers, and the operation of calls, without a name. */
        const val UNNAMED = "unnamed"

        /** Clients and operations that have no meters of their own. */
        const val OTHER = "other"
    }
}
