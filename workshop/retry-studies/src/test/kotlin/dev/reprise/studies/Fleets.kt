package dev.reprise.studies

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Simulation
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Contestants
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.YamlText
import dev.reprise.lab.scenario.with
import kotlinx.serialization.json.JsonObject
import java.nio.file.Path
import kotlin.io.path.readText

private fun read(document: JsonObject) = ScenarioFileReader(Path.of("")).read(document).scenario

/** The lab's scenario called [name] with other values at some paths, which are written as in YAML. */
internal fun builtIn(name: String, vararg changes: Pair<String, Any>): Scenario = read(
    changes.fold(BuiltIn.document(name)) { document, (path, value) -> document.with(path, YamlText.parse("$value")) },
)

/** The scenario of the file called [name]. */
internal fun file(name: String): Scenario = scenario(Path.of("scenarios/$name.yaml").readText())

/** The scenario that [yaml] describes. */
internal fun scenario(yaml: String): Scenario = read(YamlText.parse(yaml.trimIndent()) as JsonObject)

internal fun Scenario.run(policy: String): Result = Simulation(this, Contestants.read(policy), seed = 1).run()
