package dev.reprise.presets.document

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject

/**
 * Merges [changes] over [base]. An object is merged member by member, at any depth, if [isPart] says that it changes a
 * part of the old one; every other value replaces the old one. Neither argument is changed.
 */
internal fun merge(
    base: JsonObject,
    changes: JsonObject,
    isPart: (old: JsonObject, change: JsonObject) -> Boolean = { _, _ -> true },
): JsonObject {
    val merged = LinkedHashMap<String, JsonElement>(base)
    for ((name, change) in changes) {
        val old = merged[name]
        val isMerged = old is JsonObject && change is JsonObject && isPart(old, change)
        merged[name] = if (isMerged) merge(old, change, isPart) else change
    }
    return JsonObject(merged)
}
