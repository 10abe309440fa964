package dev.reprise.lab.replay

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** What replaying [scenario] prints. */
internal fun replay(scenario: String, face: String = "suspend"): List<JsonObject> =
    ScenarioReader.read(scenario).flatMap(Replay(FACES.getValue(face))::play).map {
        Json.parseToJsonElement(it).jsonObject
    }

/** What replaying one call under [policy] prints, with the full ceiling for each wait. */
internal fun replayCall(policy: String, vararg outcomes: String, face: String = "suspend"): List<JsonObject> =
    replay("""{"policy": $policy, "calls": [{"outcomes": [${outcomes.joinToString()}]}]}""", face)

/** The member called [name] as text, or `null`. */
internal operator fun JsonObject.invoke(name: String): String? =
    this[name]?.takeIf { it !is JsonNull }?.jsonPrimitive?.content

/** The member called [name] as a number. */
internal fun JsonObject.number(name: String): Double = getValue(name).jsonPrimitive.double

/** The test vectors in the file called [name]. */
internal fun vectors(name: String): JsonObject {
    val text = checkNotNull(ScenarioReader::class.java.getResource("/vectors/$name")) {
        "no vectors named $name"
    }.readText()
    return Json.parseToJsonElement(text).jsonObject
}

internal fun JsonObject.objects(name: String): List<JsonObject> = getValue(name).jsonArray.map { it.jsonObject }

/** A JSON object of what is not `null`. */
internal fun json(vararg members: Pair<String, Any?>): JsonObject =
    JsonObject(members.toMap().filterValues { it != null }.mapValues { (_, value) -> element(value) })

private fun element(value: Any?): JsonElement = when (value) {
    is JsonElement -> value
    is List<*> -> JsonArray(value.map(::element))
    is Number -> JsonPrimitive(value)
    is Boolean -> JsonPrimitive(value)
    else -> JsonPrimitive(value as String)
}
