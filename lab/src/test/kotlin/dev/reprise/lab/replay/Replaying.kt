package dev.reprise.lab.replay

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
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
