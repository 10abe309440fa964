package dev.reprise.lab.scenario

import kotlinx.serialization.json.JsonObject

/** The scenarios that come with the lab: files like any other. */
internal object BuiltIn {
    fun document(name: String): JsonObject {
        val file = checkNotNull(BuiltIn::class.java.getResource("/scenarios/$name.yaml")) { "no scenario $name" }
        return YamlText.parse(file.readText()) as JsonObject
    }
}
