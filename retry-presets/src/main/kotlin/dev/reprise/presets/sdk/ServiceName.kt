package dev.reprise.presets.sdk

import dev.reprise.core.shell.text.oneLine

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

    /** How many letters must be put in, left out or changed to make [a] of [b]: Levenshtein's distance, row by row. */
    private fun distance(a: String, b: String): Int {
        var above = IntArray(b.length + 1) { it }
        for (i in 1..a.length) {
            val row = IntArray(b.length + 1)
            row[0] = i
            for (j in 1..b.length) {
                val changed = above[j - 1] + if (a[i - 1] == b[j - 1]) 0 else 1
                row[j] = minOf(changed, above[j] + 1, row[j - 1] + 1)
            }
            above = row
        }
        return above[b.length]
    }
}
