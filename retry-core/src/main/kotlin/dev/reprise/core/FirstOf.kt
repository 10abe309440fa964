package dev.reprise.core

/** Asks [parts] in order; the first opinion counts. Compares by value where its parts do. */
internal class FirstOf(val parts: List<Classifier>) : ResponseReader {
    // Arrays and index loops: this stands on the path of every successful call, where an iterator would be garbage.
    private val array = parts.toTypedArray()
    private val readers = parts.filterIsInstance<ResponseReader>().toTypedArray()

    override fun classifyFailure(failure: Throwable): Verdict? {
        for (part in array) opinion(part, failure)?.let { return it }
        return null
    }

    private fun opinion(part: Classifier, failure: Throwable): Verdict? {
        part.classifyFailure(failure)?.let { return it }
        if (part.resultScope != ResultScope.HTTP) return null
        val response = responseOf(failure) ?: return null
        return if (part is ErrorTable) part.classifyFailed(response) else part.classifyResult(response)
    }

    override fun responseOf(failure: Throwable): HttpOutcome? {
        for (reader in readers) reader.responseOf(failure)?.let { return it }
        return null
    }

    override fun classifyResult(result: Any?): Verdict? {
        for (part in array) part.classifyResult(result)?.let { return it }
        return null
    }

    override val resultScope: ResultScope = parts.maxOfOrNull { it.resultScope } ?: ResultScope.NONE

    override val bodyNeed: BodyNeed get() = parts.maxOfOrNull { it.bodyNeed } ?: BodyNeed.NONE

    override fun equals(other: Any?): Boolean = other is FirstOf && parts == other.parts

    override fun hashCode(): Int = parts.hashCode()

    override fun toString(): String = if (parts.isEmpty()) "none" else parts.joinToString(", then ")
}
