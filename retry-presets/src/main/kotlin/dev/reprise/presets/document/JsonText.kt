package dev.reprise.presets.document

import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement

/** Turns text into JSON values, and refuses what is no JSON, is said twice or would overflow the parser's stack. */
internal object JsonText {
    /**
     * The root of [text].
     *
     * @throws PolicyFormatException if it is not JSON, longer than [LONGEST], nested deeper than [Shape.MAX_DEPTH], or has an
     *   object with two members of one name
     */
    fun parse(text: String): Node {
        if (text.length > LONGEST) refuse("must not be longer than $LONGEST characters", text)
        val plain = text.removePrefix(BYTE_ORDER_MARK)
        JsonSyntax(plain).check()
        return try {
            Node("$", Json.parseToJsonElement(plain))
        } catch (failure: SerializationException) {
            refuse("must be JSON (${reasonOf(failure)})", text)
        }
    }

    /** [element] as people like to read it. */
    fun print(element: JsonElement): String = pretty.encodeToString(JsonElement.serializer(), element)

    /** The part of the parser's message before it quotes the document. */
    private fun reasonOf(failure: SerializationException) =
        failure.message.orEmpty().lineSequence().first().substringBefore(" at path:")

    private val pretty = Json { prettyPrint = true }

    private const val BYTE_ORDER_MARK = "\uFEFF"

    /** A hundred times the largest document that is in use, botocore's own retry model. */
    private const val LONGEST = 1024 * 1024
}

/**
 * Refuses a whole [text] without showing it: a text that is not a policy may be anything, a file of keys for example.
 */
internal fun refuse(rule: String, text: String): Nothing =
    throw PolicyFormatException("$", rule, "${text.length} characters")

/** The [name] of a member as it stands in a path; no member has a long one, but a key that is one of a file of keys. */
internal fun step(name: String): String = if (name.length <= LONGEST_NAME) name else "(${name.length} characters)"

private const val LONGEST_NAME = 39
