package dev.reprise.core.botocore

import dev.reprise.core.document.Node
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
        if (element !is JsonObject) return
        for (value in element.values) {
            left--
            visit(value)
        }
        if (left < 0) Node("$.retry", element).wrong("must not lead to more than $MAX_VALUES values")
    }

    private fun resolve(node: Node, within: Set<String>, depth: Int): JsonElement {
        if (left-- <= 0) node.wrong("must not lead to more than $MAX_VALUES values")
        if (depth > MAX_DEPTH) node.wrong("must not lead deeper than $MAX_DEPTH")
        when (val element = node.element) {
            is JsonPrimitive -> return element

            is JsonArray -> return element

            is JsonObject -> {
                val name = referenceIn(element)
                if (name == null) return members(node, within, depth)
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

    private companion object {
        const val REF = "\$ref"

        /** botocore's own file leads to some thousands. */
        const val MAX_VALUES = 200_000
        const val MAX_DEPTH = 100
    }
}

/** [changes] over [base], objects member by member, at any depth; neither is changed. */
internal fun merge(base: JsonObject, changes: JsonObject): JsonObject {
    val merged = LinkedHashMap<String, JsonElement>(base)
    for ((name, change) in changes) {
        val old = merged[name]
        merged[name] = if (old is JsonObject && change is JsonObject) merge(old, change) else change
    }
    return JsonObject(merged)
}
