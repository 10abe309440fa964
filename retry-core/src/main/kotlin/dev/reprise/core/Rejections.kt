package dev.reprise.core

/**
 * The exceptions that a policy never retries. They stand first in its classifier, as a table of their own, so that nothing
 * that is added later comes before them.
 */
internal class Rejections private constructor(private val types: Set<String>) {
    fun and(className: String) = Rejections(types + className)

    fun before(others: Classifier): Classifier =
        if (types.isEmpty()) others else Classifier.firstOf(tableOf(types), others)

    companion object {
        /** The rejections of [classifier], or none. */
        fun of(classifier: Classifier): Rejections = Rejections(partOf(classifier)?.rules?.single()?.types.orEmpty())

        /** Whether [failure] is one that [classifier] never retries. */
        fun has(classifier: Classifier, failure: Throwable): Boolean =
            partOf(classifier)?.classifyFailure(failure) != null

        /** [classifier] less its rejections. */
        fun without(classifier: Classifier): Classifier {
            if (partOf(classifier) == null) return classifier
            return Classifier.firstOf(*Classifier.partsOf(classifier).drop(1).toTypedArray())
        }

        /** The part of [classifier] that has its rejections, and stands first. */
        private fun partOf(classifier: Classifier): ExceptionTable? {
            val first = Classifier.partsOf(classifier).firstOrNull() as? ExceptionTable ?: return null
            val types = first.rules.singleOrNull()?.types ?: return null
            return first.takeIf { it == tableOf(types) }
        }

        private fun tableOf(types: Set<String>) = ExceptionTable(listOf(ExceptionRule(kind = null, types)), depth = 1)
    }
}
