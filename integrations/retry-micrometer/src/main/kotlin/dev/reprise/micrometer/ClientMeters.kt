package dev.reprise.micrometer

import dev.reprise.core.shell.text.FirstNames
import io.micrometer.core.instrument.Tags

/** The meters of one client in the [group] of its registry: for its first operations, for all others, and for calls without a name. */
internal class ClientMeters(
    private val group: MeterGroup,
    private val tags: Tags,
    private val maxOperations: Int,
    private val histograms: Boolean,
) {
    private val everythingElse = metersOf(if (maxOperations > 0) RegistryMeters.OTHER else ALL)
    private val operations = FirstNames(maxOperations, { everythingElse }, ::metersOf)
    private val unnamed: OperationMeters by lazy { metersOf(RegistryMeters.UNNAMED) }

    fun of(operation: String?): OperationMeters = when {
        maxOperations == 0 -> everythingElse
        operation.isNullOrBlank() -> unnamed
        else -> operations[operation]
    }

    private fun metersOf(operation: String) = OperationMeters(group, tags.and(Meters.OPERATION, operation), histograms)

    private companion object {
        const val ALL = "all"
    }
}
