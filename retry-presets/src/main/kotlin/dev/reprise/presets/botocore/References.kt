package dev.reprise.presets.botocore

import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/**
 * Replaces every object that is exactly `{"$ref": name}` by the definition of that name, in a copy. Looks at no more than
 * [MAX_VALUES] values in its life and no deeper than [MAX_DEPTH], so that references to references cannot make a small file
 * huge.
 */
internal class References(private val definitions: JsonObject) {
    private var left = MAX_VALUES

    fun resolve(node: Node): JsonElement = resolve(node, emptySet(), 0)

    /** Counts the values that a reader of [element] will look at. */
    fun visit(element: JsonElement?) {
        val values = when (element) {
            is JsonObject -> element.values
            is JsonArray -> element
            is JsonPrimitive, null -> return
        }
        take(values.size, "$.retry")
        for (value in values) visit(value)
    }

    private fun take(values: Int, path: String) {
        left -= values
        if (left < 0) throw PolicyFormatException(path, "must not lead to more than $MAX_VALUES values", "more")
    }

    private fun resolve(node: Node, within: Set<String>, depth: Int): JsonElement {
        take(1, node.path)
        if (depth > MAX_DEPTH) throw PolicyFormatException(node.path, "must not lead deeper than $MAX_DEPTH", "deeper")
        when (val element = node.element) {
            // A text stands in the rules of each place that refers to it.
            is JsonPrimitive -> return element.also {
                if (it.content.length > LONGEST) node.wrong("must not be longer than $LONGEST characters")
            }

            // Nothing refers out of an array, but it may stand in many places, and is read in each.
            is JsonArray -> return element.also { take(it.size, node.path) }

            is JsonObject -> {
                val name = referenceIn(element) ?: return members(node, within, depth)
                val reference = Node("${node.path}.$REF", element.getValue(REF))
                if (name in within) reference.wrong("must not lead back to itself")
                val definition = definitions[name] ?: reference.wrong("must name one of the definitions")
                return resolve(Node(node.path, definition), within + name, depth + 1)
            }
        }
    }

    private fun members(node: Node, within: Set<String>, depth: Int): JsonObject {
        val members = node.members()
        return JsonObject(members.json.mapValues { (name, _) -> resolve(members.required(name), within, depth + 1) })
    }

    private fun referenceIn(json: JsonObject): String? =
        json[REF]?.takeIf { json.size == 1 }?.let { Node(REF, it).textOrNull() }
}

private const val REF = "\$ref"

/** botocore's own file leads to some thousands; with a rule or two for each of four hundred services, to 50,000. */
private const val MAX_VALUES = 100_000
private const val MAX_DEPTH = 100

/** No error code is half as long. */
private const val LONGEST = 128
