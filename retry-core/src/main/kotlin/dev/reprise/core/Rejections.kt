package dev.reprise.core

/**
 * The exceptions that a policy never retries. They stand first in its classifier, as a table of their own, so that nothing
 * that is added later comes before them.
 */
internal object Rejections {
    /** Whether [failure] is one that [classifier] never retries. */
    fun has(classifier: Classifier, failure: Throwable): Boolean = of(classifier)?.classifyFailure(failure) != null

    /** [classifier], which never retries exceptions of the class called [type] either. */
    fun added(classifier: Classifier, type: String): Classifier {
        val types = of(classifier)?.rules?.single()?.types.orEmpty() + type
        return Classifier.firstOf(tableOf(types), without(classifier))
    }

    /** [classifier], which asks [first] before all but its rejections. */
    fun before(classifier: Classifier, first: Classifier): Classifier =
        Classifier.firstOf(of(classifier) ?: Classifier.NONE, first, without(classifier))

    private fun without(classifier: Classifier): Classifier {
        if (of(classifier) == null) return classifier
        return Classifier.firstOf(*Classifier.partsOf(classifier).drop(1).toTypedArray())
    }

    /** The part of [classifier] that has its rejections, and stands first. */
    private fun of(classifier: Classifier): ExceptionTable? {
        val first = Classifier.partsOf(classifier).firstOrNull() as? ExceptionTable ?: return null
        val types = first.rules.singleOrNull()?.types ?: return null
        return first.takeIf { it == tableOf(types) }
    }

    private fun tableOf(types: Set<String>) = ExceptionTable(ExceptionRule(kind = null, types), depth = 1)
}
