package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.ProgramResult
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.long
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.lab.experiment.Assertion
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.FleetExperiment
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.input.checked
import dev.reprise.lab.plot.Picture
import dev.reprise.lab.scenario.Changes
import dev.reprise.lab.scenario.Contestants
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.YamlText
import dev.reprise.lab.text.tableOf
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.nio.file.Path

/** The experiment that a scenario file describes: options change members of the file, and it can be printed. */
internal abstract class ScenarioCommand(name: String) : CliktCommand(name) {
    private val seed by option("--seed", help = "the same seed repeats a run exactly").long().default(1)
    private val json by option("--json", help = "JSON instead of a table").flag()
    private val assertions by option(
        "--assert",
        metavar = "FIGURE < VALUE",
        help = "exit with 1 unless this holds for every policy, or for one: 'LABEL: FIGURE < VALUE'; may be repeated",
    ).multiple()
    private val plots by option("--plots", help = "draw the pictures into this folder, as SVG").path()
    private val seeds by option("--seeds", help = "how many seeds to run: the table shows medians and spreads").int()
    private val set by option(
        "--set",
        metavar = "PATH VALUE",
        help = "changes one member of the scenario; may be repeated",
    ).pair().multiple()
    private val printScenario by option("--print-scenario", help = "print the scenario as JSON, do not run it").flag()

    /** The policies that the command line names; they take the place of the scenario's. */
    protected abstract val policies: List<String>

    /** The folder of the files that the scenario names. */
    protected open val folder: Path get() = Path.of("")

    protected abstract fun written(): JsonObject

    /** The experiment that [document] describes. */
    protected open fun experiment(document: JsonObject): Experiment<*> =
        FleetExperiment(ScenarioFileReader(folder).read(document))

    /** Puts the values of the command's own options into [changes]. */
    protected open fun change(changes: Changes) = Unit

    override fun run() = if (printScenario) {
        echo(PRETTY.encodeToString(JsonElement.serializer(), checked(::document)))
    } else {
        runExperiment()
    }

    private fun runExperiment() {
        val expected = assertions.map(Assertion::read)
        val outcome = checked {
            val experiment = experiment(document())
            val tried = PolicyArgument.labelled(policies).ifEmpty { experiment.standard }
            experiment.run(tried.mapValues { Contestants.read(it.value) }, seed)
        }
        val section = outcome.section
        if (json) echo(outcome.json.toString()) else terminal.println(tableOf(section.heading, section.rows))
        plots?.let { folder -> section.plots.forEach { echo(Picture.write(it, folder), err = json) } }
        val broken = expected.flatMap { it.broken(outcome.figures) }
        broken.forEach { echo(it, err = true) }
        if (broken.isNotEmpty()) throw ProgramResult(1)
    }

    private fun document(): JsonObject {
        val changes = Changes().also(::change)
        seeds?.let { changes["seeds"] = it }
        set.forEach { (path, value) -> changes[path] = YamlText.parse(value) }
        val document = changes.applyTo(written())
        if (policies.isEmpty()) return document
        val named = PolicyArgument.labelled(policies).mapValues { JsonPrimitive(it.value) }
        return JsonObject(document + ("policies" to JsonObject(named)))
    }
}

private val PRETTY = Json { prettyPrint = true }
