package dev.reprise.lab.layers

import dev.reprise.lab.calls.CallSimulation
import dev.reprise.lab.calls.Travels
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.Figure
import dev.reprise.lab.experiment.FleetPictures
import dev.reprise.lab.experiment.FleetWords
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.experiment.putRuns
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.words
import dev.reprise.lab.run.Steps
import dev.reprise.lab.scenario.ScenarioFile
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put

/** Tries policies in all layers of a scenario with tiers, for each kind of mark between them. */
internal class LayersExperiment(private val file: ScenarioFile) :
    Experiment<Map<Travels, List<Result>>>(file.scenario.name, file.policies) {
    private val scenario = file.scenario
    private val figures = file.figures.ifEmpty { USUAL }.map(Figure::named)
    private val pictures = file.pictures.map(FleetPictures::named)

    override val steps: Int get() = scenario.seconds.toInt() * file.seeds * Travels.entries.size

    override fun measure(label: String, contestant: Contestant, seed: Long, steps: Steps): Map<Travels, List<Result>> =
        Travels.entries.associateWith { travels ->
            List(file.seeds) { CallSimulation(scenario, contestant, travels, seed + it).run(steps::done) }
        }

    override fun compare(results: Map<String, Map<Travels, List<Result>>>): Section {
        val rows = results.flatMap { (label, all) ->
            all.map { (travels, runs) -> name(label, travels, results.size) to runs }
        }.toMap()
        return Section(
            title = scenario.title,
            words = scenario.words(),
            reading = FleetWords.reading(rows, figures) ?: "",
            plots = pictures.map { it.plot(scenario, rows) },
            heading = listOf("policy") + figures.map { it.heading },
            rows = rows.map { (name, runs) -> listOf(name) + figures.map { it.text(runs) } },
            headline = figures.map { it.heading },
            verdicts = rows.mapValues { FleetWords.verdict(scenario, it.value) },
        )
    }

    private fun name(label: String, travels: Travels, policies: Int) =
        if (policies == 1) travels.words else "$label, ${travels.words}"

    override fun events(result: Map<Travels, List<Result>>) = result.values.sumOf { runs -> runs.sumOf { it.events } }

    override fun JsonObjectBuilder.write(result: Map<Travels, List<Result>>) =
        putObjects("travels", result.entries) { (travels, runs) ->
            put("value", travels.words)
            putRuns(runs)
        }

    /** The figures of the library's own behaviour: [Travels.MARKS]. */
    override fun figures(result: Map<Travels, List<Result>>): Map<String, Double> =
        Figure.all.mapValues { (_, figure) -> figure.median(result.getValue(Travels.MARKS)) }

    private companion object {
        val USUAL = listOf("amplification", "most-of-call", "success", "recovery")
    }
}
