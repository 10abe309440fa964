package dev.reprise.lab.scenario

import kotlinx.serialization.json.JsonObject
import java.nio.file.Path

/** The scenarios that come with the lab: files like any other. */
internal object BuiltIn {
    fun document(name: String): JsonObject {
        val file = checkNotNull(BuiltIn::class.java.getResource("/scenarios/$name.yaml")) { "no scenario $name" }
        return YamlText.parse(file.readText()) as JsonObject
    }

    fun policies(name: String): Map<String, String> = ScenarioFileReader(Path.of("")).read(document(name)).policies
}
