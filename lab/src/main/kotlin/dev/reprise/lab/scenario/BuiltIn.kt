package dev.reprise.lab.scenario

import kotlinx.serialization.json.JsonObject
import java.nio.file.Path

/** The scenarios that come with the lab: files like any other. */
internal object BuiltIn {
    /** Their names. */
    val names: List<String> = listOf(
        "outage",
        "stall",
        "errors",
        "partial",
        "overload",
        "throttle",
        "layers",
        "hedge",
        "fan-out",
        "saturated",
        "stability",
        "occ",
        "converge",
    )

    /** The text of the scenario called [name]. */
    fun text(name: String): String {
        val file =
            checkNotNull(BuiltIn::class.java.getResourceAsStream("/scenarios/$name.yaml")) { "no scenario $name" }
        return file.use { it.readAllBytes().decodeToString() }
    }

    /** The document of the scenario called [name]. */
    fun document(name: String): JsonObject = YamlText.parse(text(name)) as JsonObject

    /** The policies that the scenario called [name] tries, by label. */
    fun policies(name: String): Map<String, String> = ScenarioFileReader(Path.of("")).read(document(name)).policies
}
