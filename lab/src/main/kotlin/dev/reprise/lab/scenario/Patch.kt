package dev.reprise.lab.scenario

import dev.reprise.lab.input.BadInput
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.math.BigDecimal

/** Values that take the place of others in a scenario file, by path such as `$.server.failures[0].share` or without `$.`. */
internal class Changes {
    private val changed = LinkedHashMap<String, JsonElement>()

    operator fun set(path: String, value: JsonElement) {
        changed[path] = value
    }

    operator fun set(path: String, value: Int) = set(path, JsonPrimitive(value))

    operator fun set(path: String, value: Double) = set(path, number(value))

    operator fun set(path: String, value: String) = set(path, JsonPrimitive(value))

    /** Puts numbers by the second from which on they hold at [path]. */
    fun steps(path: String, steps: List<Pair<Double, Double>>) =
        set(path, JsonObject(steps.associate { (at, value) -> secondsText(at) to number(value) }))

    fun applyTo(document: JsonObject): JsonObject =
        changed.entries.fold(document) { all, (path, value) -> all.with(path, value) }

    companion object {
        /** [value] as a number of a document. JSON knows no NaN: that stays a text, which the reader refuses with its path. */
        fun number(value: Double): JsonPrimitive {
            if (!value.isFinite()) return JsonPrimitive("$value")
            return JsonPrimitive(BigDecimal(value.toBigDecimal().stripTrailingZeros().toPlainString()))
        }

        /** [value] seconds as a duration of a document. */
        fun seconds(value: Double): JsonPrimitive = JsonPrimitive(secondsText(value))

        private fun secondsText(value: Double) = "${number(value).content}s"
    }
}

private val STEP = Regex("""[^.\[\]]+""")

/** This document with [value] at [path]. */
internal fun JsonObject.with(path: String, value: JsonElement): JsonObject {
    val steps = STEP.findAll(path.removePrefix("$.")).map { it.value }.toList()
    return put(this, steps, value, path) as JsonObject
}

private fun put(into: JsonElement?, steps: List<String>, value: JsonElement, path: String): JsonElement {
    if (steps.isEmpty()) return value
    val step = steps.first()
    val rest = steps.drop(1)
    if (into is JsonArray) {
        val place = step.toIntOrNull()?.takeIf { it in into.indices }
            ?: throw BadInput("$path: $step must be from 0 to ${into.size - 1}")
        return JsonArray(into.mapIndexed { i, item -> if (i == place) put(item, rest, value, path) else item })
    }
    val members = into as? JsonObject ?: if (into == null || into is JsonNull) JsonObject(emptyMap()) else null
    members ?: throw BadInput("$path: $step must be a member of an object")
    return JsonObject(members + (step to put(members[step], rest, value, path)))
}
