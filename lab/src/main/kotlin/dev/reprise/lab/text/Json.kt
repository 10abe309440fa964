package dev.reprise.lab.text

import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.putJsonArray

/** Puts an array called [name] with an object for each of [items]. */
internal fun <T> JsonObjectBuilder.putObjects(name: String, items: Iterable<T>, write: JsonObjectBuilder.(T) -> Unit) {
    putJsonArray(name) { items.forEach { addJsonObject { write(it) } } }
}

/** [value] in JSON, which has neither NaN nor infinity: `null` for NaN, and "never" for infinity. */
internal fun jsonNumber(value: Double): JsonPrimitive = when {
    value.isNaN() -> JsonNull
    value == Double.POSITIVE_INFINITY -> JsonPrimitive("never")
    else -> JsonPrimitive(value)
}
