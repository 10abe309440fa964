package dev.reprise.core.document

import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement

/** Turns text into JSON values, and refuses what would overflow the parser's stack. */
internal object JsonText {
    /**
     * The root of [text].
     *
     * @throws PolicyFormatException if it is not JSON or is nested deeper than [MAX_DEPTH]
     */
    fun parse(text: String): Node {
        requireShallow(text)
        return try {
            Node("$", Json.parseToJsonElement(text.removePrefix(BYTE_ORDER_MARK)))
        } catch (failure: SerializationException) {
            throw PolicyFormatException(
                "$",
                "must be JSON (${failure.message?.lineSequence()?.first()})",
                shorten(text),
            )
        }
    }

    /** [element] as people like to read it. */
    fun print(element: JsonElement): String = pretty.encodeToString(JsonElement.serializer(), element)

    private fun requireShallow(text: String) {
        var depth = 0
        var quoted = false
        var i = 0
        while (i < text.length) {
            when (text[i]) {
                '"' -> quoted = !quoted
                '\\' -> if (quoted) i++
                '{', '[' -> if (!quoted) depth++
                '}', ']' -> if (!quoted) depth--
            }
            if (depth > MAX_DEPTH) {
                throw PolicyFormatException("$", "must not be nested deeper than $MAX_DEPTH", shorten(text))
            }
            i++
        }
    }

    private val pretty = Json { prettyPrint = true }

    private const val BYTE_ORDER_MARK = "\uFEFF"

    /** Far deeper than any document that means something, far less than a thread's stack bears. */
    private const val MAX_DEPTH = 100
}

/** The start of [text], for messages. */
internal fun shorten(text: String): String = if (text.length <= MAX_SHOWN) text else text.take(MAX_SHOWN) + "…"

private const val MAX_SHOWN = 80
