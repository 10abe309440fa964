package dev.reprise.lab.scenario

import com.charleskorn.kaml.Yaml
import com.charleskorn.kaml.YamlException
import com.charleskorn.kaml.YamlList
import com.charleskorn.kaml.YamlMap
import com.charleskorn.kaml.YamlNode
import com.charleskorn.kaml.YamlNull
import com.charleskorn.kaml.YamlScalar
import com.charleskorn.kaml.YamlTaggedNode
import dev.reprise.lab.input.NUMBER
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** YAML, of which JSON is a part, as the JSON elements that the rest of the lab reads. */
internal object YamlText {
    /** The value of [text]; a scalar is a number, a truth value or a text by its form. Throws [PolicyFormatException]. */
    fun parse(text: String): JsonElement {
        requireReadable(text)
        return try {
            element(Yaml.default.parseToYamlNode(text))
        } catch (failure: YamlException) {
            val where = "line ${failure.location.line}, column ${failure.location.column}"
            throw refused("$where: ${failure.message.lineSequence().first()}")
        } catch (failure: RuntimeException) {
            // The parser below kaml throws exceptions of its own, which no dependency exposes.
            throw refused(failure.toString().lineSequence().first())
        }
    }

    /**
     * The parser below kaml looks at the low 16 bits of a character alone: it takes U+10022 for a quotation mark, and does not end.
     */
    private fun requireReadable(text: String) {
        val bad = text.codePoints().filter { it > MOST_BMP && it and MOST_BMP < ASCII }.findFirst()
        if (bad.isPresent) throw refused("the character U+%X, which cannot be read".format(bad.asInt))
    }

    private fun refused(found: String) = PolicyFormatException("$", "must be YAML or JSON", found)

    private fun element(node: YamlNode): JsonElement = when (node) {
        is YamlNull -> JsonNull
        is YamlList -> JsonArray(node.items.map(::element))
        is YamlMap -> JsonObject(node.entries.entries.associate { (key, value) -> key.content to element(value) })
        is YamlTaggedNode -> element(node.innerNode)
        is YamlScalar -> scalar(node.content)
    }

    private fun scalar(text: String) = when {
        NUMBER.matches(text) -> JsonPrimitive(text.toBigDecimal())
        text == "true" || text == "false" -> JsonPrimitive(text == "true")
        else -> JsonPrimitive(text)
    }

    private const val MOST_BMP = 0xFFFF
    private const val ASCII = 0x80
}
