package dev.reprise.lab.scenario

import dev.reprise.lab.input.BadInput
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject

/** A document in which a value stands at a path such as `server.failures[0].share`: the path may begin with `$.`. */
internal fun JsonObject.with(path: String, value: JsonElement): JsonObject {
    val steps = STEP.findAll(path.removePrefix("$.")).map { it.value.trim('.', '[', ']') }.toList()
    return put(this, steps, value, path) as JsonObject
}

private val STEP = Regex("""[^.\[\]]+""")

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
