package dev.reprise.presets.document

import dev.reprise.core.shell.time.nanosText
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** The members of a JSON object that is being written, in order. */
internal class Writing {
    private val members = LinkedHashMap<String, JsonElement>()

    fun put(name: String, value: JsonElement) {
        members[name] = value
    }

    fun text(name: String, value: String) = put(name, JsonPrimitive(value))

    /** A number; one without a fraction is written without one, except for -0.0, which would lose its sign. */
    fun number(name: String, value: Number) = put(name, JsonPrimitive(if (isWhole(value)) value.toLong() else value))

    private fun isWhole(value: Number) =
        value is Double && value % 1 == 0.0 && value in EXACT && !value.equals(NEGATIVE_ZERO)

    fun texts(name: String, values: Collection<String>) = put(name, JsonArray(values.map(::JsonPrimitive)))

    fun flag(name: String, value: Boolean) = put(name, JsonPrimitive(value))

    fun duration(name: String, nanos: Long) = text(name, nanosText(nanos))

    fun durations(name: String, nanos: List<Long>) = texts(name, nanos.map(::nanosText))

    fun orNull(name: String, value: JsonElement?) = put(name, value ?: JsonNull)

    fun toJson(): JsonObject = JsonObject(members)
}

/** An object with the members that [write] puts, after a `type` where there is one. */
internal fun jsonObject(type: String? = null, write: Writing.() -> Unit): JsonObject = Writing()
    .apply { if (type != null) text("type", type) }
    .apply(write)
    .toJson()

/** Whole numbers that `Long` and `Double` share. */
private val EXACT = -1e15..1e15
private const val NEGATIVE_ZERO = -0.0
