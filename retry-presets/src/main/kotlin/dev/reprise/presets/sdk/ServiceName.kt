package dev.reprise.presets.sdk

import dev.reprise.core.shell.text.oneLine
import dev.reprise.presets.document.distance

/**
 * Finds the service that a name stands for, among the services with a policy of their own. Hundreds of services have
 * none, and all of them must be accepted. But a name that nearly matches one of these services is a typing error, which
 * would silently give the plain policy.
 */
internal object ServiceName {
    private val SHAPE = Regex("[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}+")

    /** Shorter names are near to too many others. */
    private const val SHORTEST = 6
    private const val NEAR = 2

    /**
     * The one of [known] that [service] is, however written; `null` if it is another service's.
     *
     * @throws IllegalArgumentException if it is no name, or nearly one of [known]
     */
    fun find(service: String, known: Set<String>): String? {
        require(SHAPE.matches(service)) { "service must be a name such as dynamodb: ${oneLine(service, longest = 64)}" }
        match(service, known)?.let { return it }
        val meant = known.find { it.length >= SHORTEST && distance(letters(it), letters(service)) <= NEAR }
        require(meant == null) { "service must be $meant, or a name less like it: $service" }
        return null
    }

    /**
     * The one of [known] that [service] is, or `null`. Only letters and digits count, and neither case nor the maker's name:
     * the SDKs write `DynamoDB Streams`, `DynamoDbStreams`, `dynamodb-streams`, `Amazon DynamoDB`, `AmazonDynamoDBv2`.
     */
    fun match(service: String, known: Set<String>): String? {
        val name = letters(service)
        return known.find { letters(it) == name }
    }

    private fun letters(name: String) =
        name.filter { it.isLetterOrDigit() }.lowercase().removePrefix("amazon").removePrefix("aws").removeSuffix("v2")
}
