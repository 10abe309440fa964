package dev.reprise.lab.fleet

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Contestants
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.YamlText
import dev.reprise.lab.scenario.with
import kotlinx.serialization.json.JsonObject
import java.nio.file.Path

/** The scenario called [name] with other values at some paths, which are written as in YAML. */
internal fun builtIn(name: String, vararg changes: Pair<String, Any>): Scenario = ScenarioFileReader(Path.of("")).read(
    changes.fold(BuiltIn.document(name)) { document, (path, value) -> document.with(path, YamlText.parse("$value")) },
).scenario

/** The scenario that [yaml] describes. */
internal fun scenario(yaml: String): Scenario =
    ScenarioFileReader(Path.of("")).read(YamlText.parse(yaml.trimIndent()) as JsonObject).scenario

internal fun Scenario.run(policy: RetryPolicy, seed: Long = 1): Result =
    Simulation(this, Contestant(policy), seed).run()

internal fun Scenario.run(policy: String, seed: Long = 1): Result =
    Simulation(this, Contestants.read(policy), seed).run()
