package dev.reprise.presets.document

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject

/**
 * Merges [changes] over [base]. An object is merged member by member, at any depth, unless the entry for its name in
 * [types] says that it is of another type than the old one; every other value replaces the old one. Neither argument is
 * changed.
 */
internal fun merge(base: JsonObject, changes: JsonObject, types: Map<String, TypeMember<*>> = emptyMap()): JsonObject {
    val merged = LinkedHashMap<String, JsonElement>(base)
    for ((name, change) in changes) {
        val old = merged[name]
        val isPart = old is JsonObject && change is JsonObject && types[name]?.isPart(old, change) != false
        merged[name] = if (isPart) merge(old, change, types) else change
    }
    return JsonObject(merged)
}
