package dev.reprise.presets.document

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** How deep and how large JSON may be that this library walks over by recursion. */
internal object Shape {
    /** Far deeper than any document that means something, far less than a thread's stack bears. */
    const val MAX_DEPTH: Int = 100

    /** As many as the longest text can hold; more come only from elements that stand in many places at once. */
    private const val MAX_VALUES = 1_000_000

    const val TOO_DEEP: String = "must not be nested deeper than $MAX_DEPTH"

    /**
     * Looks at all of [element], which stands at [path], without recursion.
     *
     * @throws PolicyFormatException if it is too deep or too large
     */
    fun check(path: String, element: JsonElement) {
        var left = MAX_VALUES
        val open = ArrayDeque(listOf(valuesOf(element)))
        while (open.isNotEmpty()) {
            val values = open.last()
            if (!values.hasNext()) {
                open.removeLast()
                continue
            }
            val value = values.next()
            if (left-- == 0) throw PolicyFormatException(path, "must not have more than $MAX_VALUES values", "more")
            if (value is JsonPrimitive) continue
            open += valuesOf(value)
            if (open.size > MAX_DEPTH) throw PolicyFormatException(path, TOO_DEEP, "deeper")
        }
    }

    private fun valuesOf(element: JsonElement): Iterator<JsonElement> = when (element) {
        is JsonObject -> element.values.iterator()
        is JsonArray -> element.iterator()
        is JsonPrimitive -> emptyList<JsonElement>().iterator()
    }
}
