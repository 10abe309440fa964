package dev.reprise.presets.document

import kotlinx.serialization.json.JsonObject

/**
 * The member [name] that says of which of the [types] an object is. An object without it is of the [default] type, if
 * there is one. Reading and merging both ask here, so that they take an object for the same type.
 */
internal class TypeMember<T>(
    private val name: String,
    private val types: Map<String, T>,
    private val default: String? = null,
) {
    fun read(members: Members): T =
        if (default != null && members[name] == null) types.getValue(default) else members.required(name).word(types)

    /** Whether [change] changes a part of [old]: it names no type, or that of [old]. */
    fun isPart(old: JsonObject, change: JsonObject): Boolean = name !in change || wordOf(change) == wordOf(old)

    private fun wordOf(json: JsonObject): String? = json[name]?.let { Node(name, it).meant(types.keys) } ?: default
}
