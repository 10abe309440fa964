package dev.reprise.core.classify

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
        fun of(classifier: Classifier): Rejections =
            Rejections(typesOf(Classifier.partsOf(classifier).firstOrNull()).orEmpty())

        /** Whether [failure] is one that [classifier] never retries. */
        fun has(classifier: Classifier, failure: Throwable): Boolean {
            val first = Classifier.partsOf(classifier).firstOrNull()
            return typesOf(first) != null && first!!.classifyFailure(failure) != null
        }

        /** [classifier] less its rejections. */
        fun without(classifier: Classifier): Classifier {
            val parts = Classifier.partsOf(classifier)
            if (typesOf(parts.firstOrNull()) == null) return classifier
            return Classifier.firstOf(*parts.drop(1).toTypedArray())
        }

        private fun typesOf(first: Classifier?): Set<String>? {
            val types = (first as? ExceptionTable)?.rules?.singleOrNull()?.types ?: return null
            return types.takeIf { first == tableOf(types) }
        }

        private fun tableOf(types: Set<String>) = ExceptionTable(listOf(ExceptionRule(kind = null, types)), depth = 1)
    }
}
