package dev.reprise.lab.experiment

import dev.reprise.lab.calls.CallSimulation
import dev.reprise.lab.calls.Travels
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Failure
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Simulation
import dev.reprise.lab.fleet.words
import dev.reprise.lab.run.Steps
import dev.reprise.lab.scenario.ScenarioFile
import kotlinx.serialization.json.JsonObjectBuilder

/** Tries policies on the fleet of a scenario file, from several seeds if it says so. */
internal class FleetExperiment(private val file: ScenarioFile) :
    Experiment<List<Result>>(file.scenario.name, file.policies) {
    private val scenario = file.scenario
    private val figures = file.figures.ifEmpty { USUAL }.map(Figure::named)
    private val pictures = file.pictures.map(FleetPictures::named)

    override val steps: Int get() = scenario.seconds.toInt() * file.seeds

    override fun measure(label: String, contestant: Contestant, seed: Long, steps: Steps): List<Result> {
        requireEnd(label, contestant, scenario)
        return List(file.seeds) { scenario.run(contestant, seed + it, steps) }
    }

    override fun compare(results: Map<String, List<Result>>) = Section(
        title = scenario.title + if (scenario.isClosedLoop) " (closed loop)" else "",
        words = scenario.words(),
        reading = reading(results),
        plots = pictures.map { it.plot(scenario, results) },
        heading = listOf("policy") + figures.map { it.heading },
        rows = results.map { (label, runs) -> listOf(label) + figures.map { it.text(runs) } },
        headline = figures.map { it.heading },
        verdicts = results.mapValues { FleetWords.verdict(scenario, it.value) },
        grades = Grade.of(scenario, results),
        isClosedLoop = scenario.isClosedLoop,
    )

    private fun reading(results: Map<String, List<Result>>): String =
        FleetWords.reading(results, figures) ?: results.entries.joinToString(" ") { (label, runs) ->
            "“$label”: ${FleetWords.verdict(scenario, runs)}"
        }

    override fun events(result: List<Result>) = result.sumOf { it.events }

    override fun JsonObjectBuilder.write(result: List<Result>) = putRuns(result)

    override fun figures(result: List<Result>): Map<String, Double> =
        Figure.all.mapValues { (_, figure) -> figure.median(result) }

    private companion object {
        val USUAL = listOf("success", "amplification", "loss", "p50", "p99", "recovery")
    }
}

/** Runs this scenario by the engine alone, or, for policies that need more, by the library's own calls. */
internal fun Scenario.run(contestant: Contestant, seed: Long, steps: Steps): Result {
    val needsCalls = fanOut > 1 || contestant.policy.hedge != null || fleet.any { it.policy?.policy?.hedge != null }
    return if (needsCalls) {
        CallSimulation(this, contestant, Travels.NOTHING, seed).run(steps::done)
    } else {
        Simulation(this, contestant, seed).run(steps::done)
    }
}

/** A server that never answers, and a call without any limit, would wait for ever. */
private fun requireEnd(label: String, contestant: Contestant, scenario: Scenario) {
    val loses = scenario.server.failures.any { it.kind == Failure.Kind.STALL }
    require(!loses || scenario.attemptTimeout != null || contestant.policy.isTimed) {
        "policy $label needs an attemptTimeout or a deadline (or give --attempt-timeout): " +
            "a server that never answers would hold its calls for ever"
    }
}
