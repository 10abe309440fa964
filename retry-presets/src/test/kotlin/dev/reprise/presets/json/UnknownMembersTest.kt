package dev.reprise.presets.json

import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.checkAll
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

class UnknownMembersTest :
    FunSpec({
        test("a member that no reader knows is refused in every object of a document, with its path") {
            checkAll(200, anyPolicy) { policy ->
                val document = Json.parseToJsonElement(PolicyJson.write(policy))
                for ((path, text) in surprised(document, "$")) {
                    shouldThrow<PolicyFormatException> { PolicyJson.read("$text") }.path shouldBe "$path.surprise"
                }
            }
        }
    })

/** Every object of [element], which stands at [path], by its own path: the element with one member more in that object. */
private fun surprised(element: JsonElement, path: String): List<Pair<String, JsonElement>> = when (element) {
    is JsonPrimitive -> emptyList()

    is JsonArray -> element.flatMapIndexed { i, part ->
        surprised(part, "$path[$i]").map { (at, changed) ->
            at to JsonArray(element.mapIndexed { j, other -> if (i == j) changed else other })
        }
    }

    is JsonObject -> listOf(path to JsonObject(element + ("surprise" to JsonPrimitive(1)))) +
        element.flatMap { (name, part) ->
            surprised(part, "$path.$name").map { (at, changed) -> at to JsonObject(element + (name to changed)) }
        }
}
