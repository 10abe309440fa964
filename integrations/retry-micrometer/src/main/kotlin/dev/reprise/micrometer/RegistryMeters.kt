package dev.reprise.micrometer

import dev.reprise.core.shell.text.FirstNames
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tags

/**
 * The meters of one registry: of the one client, or of each retrier by its name. The first
 * [maxClients][RetryMetricsBuilder.maxClients] names have meters of their own; later ones share `other`, retriers
 * without a name are `unnamed`.
 */
internal class RegistryMeters(registry: MeterRegistry, private val settings: RetryMetricsBuilder) {
    private val group = MeterGroup(registry)
    private val only = settings.client?.let(::metersOf)
    private val unnamed by lazy { metersOf(UNNAMED) }
    private val others by lazy { metersOf(OTHER) }
    private val clients = FirstNames(settings.maxClients, { others }, ::metersOf)

    fun of(retrier: String?): ClientMeters = only ?: if (retrier == null) unnamed else clients[retrier]

    /** Removes them all, and what a call that is being recorded may add yet. */
    fun close() = group.close()

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
