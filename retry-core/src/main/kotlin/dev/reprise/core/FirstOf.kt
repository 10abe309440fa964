package dev.reprise.core

/** Asks [parts] in order; the first opinion counts. Compares by value where its parts do. */
internal class FirstOf(val parts: List<Classifier>) : ResponseReader {
    // Arrays: this stands on the path of every successful call, where an iterator would be garbage.
    private val array = parts.toTypedArray()
    private val readers = parts.filterIsInstance<ResponseReader>().toTypedArray()

    override fun classifyFailure(failure: Throwable): Verdict? = array.firstNotNullOfOrNull { opinion(it, failure) }

    private fun opinion(part: Classifier, failure: Throwable): Verdict? {
        val verdict = part.classifyFailure(failure)
        // A rule for a type, such as retryOn: whether anything was sent the rules about connections know better.
        if (part is ExceptionTable && verdict is Verdict.Retry && isUnsent(failure)) return verdict.unsent()
        if (verdict != null) return verdict
        if (part.resultScope != ResultScope.HTTP) return null
        val response = responseOf(failure) ?: return null
        return if (part is ErrorTable) part.classifyFailed(response) else part.classifyResult(response)
    }

    private fun isUnsent(failure: Throwable) =
        array.any { it is NamesRejections && (it.classifyFailure(failure) as? Verdict.Retry)?.unsent == true }

    override fun responseOf(failure: Throwable): HttpOutcome? = readers.firstNotNullOfOrNull { it.responseOf(failure) }

    override fun classifyResult(result: Any?): Verdict? = array.firstNotNullOfOrNull { it.classifyResult(result) }

    override val resultScope: ResultScope = parts.maxOfOrNull { it.resultScope } ?: ResultScope.NONE

    override val bodyNeed: BodyNeed get() = parts.maxOfOrNull { it.bodyNeed } ?: BodyNeed.NONE

    override fun equals(other: Any?): Boolean = other is FirstOf && parts == other.parts

    override fun hashCode(): Int = parts.hashCode()

    override fun toString(): String = if (parts.isEmpty()) "none" else parts.joinToString(", then ")
}
