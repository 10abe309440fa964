package dev.reprise.lab.experiment

import dev.reprise.lab.calls.Travels
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.words
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.scenario.ScenarioFile
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.with
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.put

/** Tries policies on one fleet after another, which differ in one member of their scenario file. */
internal class SweepExperiment(
    private val base: ScenarioFile,
    private val sweep: ScenarioFile.Sweep,
    reader: ScenarioFileReader,
) : Experiment<List<List<Result>>>(base.scenario.name, base.policies) {
    private val files = sweep.values.map { reader.read(base.document.with(sweep.path, it)) }
    private val texts = sweep.values.map { (it as? JsonPrimitive)?.contentOrNull ?: it.toString() }
    private val figures = base.figures.ifEmpty { listOf("success", "amplification") }.map(Figure::named)
    private val first = figures.first()

    override val steps: Int get() = files.sumOf { it.scenario.seconds.toInt() * it.seeds }

    override fun measure(label: String, contestant: Contestant, seed: Long, onStep: () -> Unit) = files.map { file ->
        List(file.seeds) { file.scenario.run(contestant, Travels.NOTHING, seed + it, onStep) }
    }

    override fun compare(results: Map<String, List<List<Result>>>): Section {
        val columns = texts.map { "${first.heading}, $it" }
        return Section(
            title = base.scenario.title,
            words = files.first().scenario.words() + " This is tried for ${sweep.name} ${texts.joinToString()}.",
            reading = contrast(
                results.mapValues { first.median(it.value.last()) * first.scale },
                "has",
                (if (first.isShare) "% " else "") + "${first.heading} at ${texts.last()}",
            ),
            plots = figures.map { plot(it, results) },
            heading = listOf("policy") + columns,
            rows = results.map { (label, all) -> listOf(label) + all.map { first.text(it) } },
            headline = columns,
            verdicts = results.mapValues { (_, all) -> verdict(all) },
            // In the middle: at the ends all policies do well, or none.
            grades = Grade.of(files[files.size / 2].scenario, results.mapValues { it.value[files.size / 2] }),
            isClosedLoop = base.scenario.isClosedLoop,
        )
    }

    /** The first figure at both ends. */
    private fun verdict(all: List<List<Result>>): String = first.run {
        "$heading ${text(median(all.first()))} at ${texts.first()}, ${text(median(all.last()))} at ${texts.last()}."
    }

    private fun plot(figure: Figure, results: Map<String, List<List<Result>>>) = LinePlot(
        name = if (figure == first) name else "$name-${figure.name}",
        title = figure.meaning.replaceFirstChar { it.uppercase() },
        x = sweep.name,
        y = figure.heading + if (figure.isShare) ", %" else "",
        lines = results.map { (label, all) ->
            val points = all.mapIndexed { i, runs ->
                val value = figure.median(runs) * figure.scale
                (place(i) ?: i.toDouble()) to if (value.isFinite()) value else Double.NaN
            }
            Line(label, points)
        },
    )

    private fun place(i: Int) = (sweep.values[i] as? JsonPrimitive)?.doubleOrNull

    private val Figure.scale get() = if (isShare) 100.0 else 1.0

    override fun events(result: List<List<Result>>) = result.sumOf { runs -> runs.sumOf { it.events } }

    override fun JsonObjectBuilder.write(result: List<List<Result>>) {
        put("path", sweep.path)
        putObjects("values", sweep.values.zip(result)) { (value, runs) ->
            put("value", value)
            putRuns(runs)
        }
    }
}
