package dev.reprise.presets.json

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.presets.FixedBackoff
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.document.merge
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.jsonPrimitive

/** The ways in which people write one word. */
private fun spellings(word: String) = listOf(
    word,
    word.uppercase(),
    word.replaceFirstChar(Char::uppercaseChar),
    word.replace("-", ""),
    word.replace('-', '_').uppercase(),
    word.toList().joinToString("-"),
).distinct()

private fun objectOf(vararg members: Pair<String, Any>): JsonObject = JsonObject(
    members.associate { (name, value) -> name to (value as? JsonElement ?: JsonPrimitive(value.toString())) },
)

/** Each member of [document] whose type is named by [member], with the type that it has. */
private fun typed(document: JsonObject): List<Triple<String, String, String>> {
    fun typeOf(name: String, member: String, default: String?) = (document[name] as? JsonObject)
        ?.let { Triple(name, member, it[member]?.jsonPrimitive?.content ?: default!!) }
    return listOfNotNull(
        typeOf("backoff", "type", null),
        typeOf("quota", "type", "bucket"),
        typeOf("sendRate", "growth", "cubic"),
    )
}

class SameTypeTest :
    FunSpec({
        test("a document that names the type its preset has, however it is spelt, changes nothing") {
            for (preset in Presets.all) {
                val policy = preset.policy()
                for ((name, member, type) in typed(PolicyJson.toElement(policy))) {
                    for (spelling in spellings(type)) {
                        val document = objectOf("preset" to preset.name, name to objectOf(member to spelling))
                        withClue(document) { PolicyJson.read(document) shouldBe policy }
                    }
                }
            }
        }

        test("a bucket that is named is overridden member by member, as one that is not") {
            for (preset in Presets.all) {
                fun read(vararg quota: Pair<String, Any>): RetryPolicy =
                    PolicyJson.read(objectOf("preset" to preset.name, "quota" to objectOf(*quota)))

                val typed = typed(PolicyJson.toElement(preset.policy()))
                if (typed.none { (name, _, type) -> name == "quota" && type == "bucket" }) continue
                withClue(preset.name) { read("type" to "bucket", "capacity" to 100) shouldBe read("capacity" to 100) }
            }
        }

        test("a growth that brings its own values is another than the one without a name") {
            for (spelling in spellings("steady")) {
                val changed = PolicyJson.read("""{"preset": "adaptive-2.1", "sendRate": {"growth": "$spelling"}}""")
                changed.sendRate shouldBe PolicyJson.read("""{"sendRate": {"growth": "steady"}}""").sendRate
            }
        }

        test("documents over each other are read as each would be over a preset that is the next one") {
            val preset = objectOf("preset" to "adaptive-2.1")
            val exponential = objectOf("type" to "exponential", "base" to "1s")
            val cases = mapOf(
                // Over an absent type, which is that of the preset or the default.
                listOf(objectOf("backoff" to exponential), objectOf("backoff" to objectOf("cap" to "5s")), preset) to
                    objectOf("backoff" to objectOf("base" to "1s", "cap" to "5s")),
                listOf(
                    objectOf("backoff" to objectOf("type" to "fixed", "delay" to "1s")),
                    objectOf("backoff" to objectOf("cap" to "5s")),
                    preset,
                ) to objectOf("backoff" to objectOf("type" to "fixed", "delay" to "1s")),
                listOf(
                    objectOf("quota" to objectOf("type" to "steady")),
                    objectOf("quota" to objectOf("capacity" to 100, "cost" to 5)),
                    preset,
                ) to objectOf("quota" to objectOf("type" to "steady")),
                listOf(
                    objectOf("quota" to objectOf("type" to "Bucket", "cost" to 5)),
                    objectOf("quota" to objectOf("capacity" to 100)),
                    preset,
                ) to objectOf("quota" to objectOf("capacity" to 100, "cost" to 5)),
                listOf(
                    objectOf("sendRate" to objectOf("growth" to "steady")),
                    objectOf("sendRate" to objectOf("beta" to 0.5)),
                    preset,
                ) to objectOf("sendRate" to objectOf("growth" to "steady")),
                // The higher preset is that of all.
                listOf(preset, objectOf("preset" to "none", "maxAttempts" to 7)) to objectOf("maxAttempts" to 7),
            )
            for ((documents, document) in cases) {
                withClue(documents) {
                    PolicyJson.read(PolicyJson.merged(documents)) shouldBe
                        PolicyJson.read(JsonObject(preset + document))
                }
            }
            val whole =
                listOf(objectOf("quota" to objectOf("type" to "steady")), objectOf("quota" to objectOf("cost" to 5)))
            PolicyJson.merged(whole) shouldBe whole.first()
        }

        test("a backoff within a backoff keeps its values too if its type is named again") {
            val parts = Backoff.perKind(FixedBackoff(1), FixedBackoff(2))
            val whole = PolicyJson.toElement(RetryPolicy { backoff = parts })
            for (name in listOf("transient", "throttling")) {
                val again = objectOf("backoff" to objectOf(name to objectOf("type" to "Fixed")))
                PolicyJson.read(merge(whole, again, PolicyMembers.types)).backoff shouldBe parts
            }
        }
    })
