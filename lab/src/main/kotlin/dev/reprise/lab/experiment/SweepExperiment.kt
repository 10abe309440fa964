package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.words
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.run.Steps
import dev.reprise.lab.scenario.ScenarioFile
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.with
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** Tries policies on one fleet after another, which differ in one member of their scenario file. */
internal class SweepExperiment(file: ScenarioFile, reader: ScenarioFileReader) :
    Experiment<List<List<Result>>>(file.scenario.name, file.policies) {
    private val sweep = file.sweep!!
    private val files = sweep.values.map { reader.read(file.document.with(sweep.path, it)) }
    private val figures = file.figures.ifEmpty { listOf("success", "amplification") }.map(Figure::named)
    private val base = file

    override val steps: Int get() = files.sumOf { it.scenario.seconds.toInt() * it.seeds }

    override fun measure(label: String, contestant: Contestant, seed: Long, steps: Steps) = files.map { file ->
        List(file.seeds) { file.scenario.run(contestant, seed + it, steps) }
    }

    override fun compare(results: Map<String, List<List<Result>>>) = Section(
        title = base.scenario.title,
        words = files.first().scenario.words() + " This is tried for ${sweep.name} ${texts().joinToString()}.",
        reading = contrast(
            results.mapValues { figures.first().median(it.value.last()) * scale(figures.first()) },
            "has",
            (if (figures.first().isShare) "% " else "") + "${figures.first().heading} at ${texts().last()}",
        ),
        plots = figures.map { plot(it, results) },
        heading = listOf("policy") + texts().map { "${figures.first().heading}, $it" },
        rows = results.map { (label, all) -> listOf(label) + all.map { figures.first().text(it) } },
        headline = texts().map { "${figures.first().heading}, $it" },
        verdicts = results.mapValues { (_, all) -> verdict(all) },
        // In the middle: at the ends all policies do well, or none.
        grades = Grade.of(files[files.size / 2].scenario, results.mapValues { it.value[files.size / 2] }),
        isClosedLoop = base.scenario.isClosedLoop,
    )

    /** The first figure at both ends. */
    private fun verdict(all: List<List<Result>>): String = figures.first().run {
        "$heading ${text(median(all.first()))} at ${texts().first()}, ${text(median(all.last()))} at ${texts().last()}."
    }

    private fun scale(figure: Figure) = if (figure.isShare) PERCENT else 1.0

    private fun plot(figure: Figure, results: Map<String, List<List<Result>>>) = LinePlot(
        name = if (figure == figures.first()) name else "$name-${figure.name}",
        title = figure.meaning.replaceFirstChar { it.uppercase() },
        x = sweep.name,
        y = figure.heading + if (figure.isShare) ", %" else "",
        lines = results.map { (label, all) ->
            val points = all.mapIndexed { i, runs ->
                (place(sweep.values[i]) ?: i.toDouble()) to
                    figure.median(runs) * scale(figure)
            }
            Line(label, points.map { (at, value) -> at to if (value.isFinite()) value else Double.NaN })
        },
    )

    private fun place(value: JsonElement) = (value as? JsonPrimitive)?.doubleOrNull

    private fun texts() = sweep.values.map { (it as? JsonPrimitive)?.contentOrNull ?: it.toString() }

    override fun events(result: List<List<Result>>) = result.sumOf { runs -> runs.sumOf { it.events } }

    override fun JsonObjectBuilder.write(result: List<List<Result>>) {
        put("path", sweep.path)
        putObjects("values", sweep.values.zip(result)) { (value, runs) ->
            put("value", value)
            putRuns(runs)
        }
    }

    private companion object {
        const val PERCENT = 100.0
    }
}
