package dev.reprise.core

/** Asks [parts] in order; the first opinion counts. Compares by value where its parts do. */
internal data class FirstOf(val parts: List<Classifier>) : ResponseReader {
    // Arrays: this stands on the path of every successful call, where an iterator would be garbage.
    private val array = parts.toTypedArray()
    private val readers = parts.filterIsInstance<ResponseReader>().toTypedArray()

    override fun classifyFailure(failure: Throwable): Verdict? = array.firstNotNullOfOrNull { opinion(it, failure) }

    private fun opinion(part: Classifier, failure: Throwable): Verdict? {
        part.classifyFailure(failure)?.let { return it }
        if (part.resultScope != ResultScope.HTTP) return null
        val response = responseOf(failure) ?: return null
        return if (part is ErrorTable) part.classifyFailed(response) else part.classifyResult(response)
    }

    override fun responseOf(failure: Throwable): HttpOutcome? = readers.firstNotNullOfOrNull { it.responseOf(failure) }

    override fun classifyResult(result: Any?): Verdict? = array.firstNotNullOfOrNull { it.classifyResult(result) }

    override val resultScope: ResultScope = parts.maxOfOrNull { it.resultScope } ?: ResultScope.NONE

    override val bodyNeed: BodyNeed get() = parts.maxOfOrNull { it.bodyNeed } ?: BodyNeed.NONE

    override fun toString(): String = if (parts.isEmpty()) "none" else parts.joinToString(", then ")
}
