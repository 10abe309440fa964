package dev.reprise.micrometer

import io.micrometer.core.instrument.Tags
import java.util.concurrent.ConcurrentHashMap

/** The meters of one client in the [group] of its registry: for its first operations, for all others, and for calls without a name. */
internal class ClientMeters(
    private val group: MeterGroup,
    private val tags: Tags,
    private val maxOperations: Int,
    private val histograms: Boolean,
) {
    private val operations = ConcurrentHashMap<String, OperationMeters>()
    private val everythingElse = metersOf(if (maxOperations > 0) RegistryMeters.OTHER else ALL)
    private val unnamed: OperationMeters by lazy { metersOf(RegistryMeters.UNNAMED) }

    fun of(operation: String?): OperationMeters = when {
        maxOperations == 0 -> everythingElse
        operation.isNullOrBlank() -> unnamed
        else -> operations[operation] ?: ofNew(operation)
    }

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun ofNew(name: String): OperationMeters = operations[name]
        ?: if (operations.size >= maxOperations) everythingElse else metersOf(name).also { operations[name] = it }

    private fun metersOf(operation: String) = OperationMeters(group, tags.and(Meters.OPERATION, operation), histograms)

    private companion object {
        const val ALL = "all"
    }
}
