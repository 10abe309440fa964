package dev.reprise.lab.experiment

import dev.reprise.core.shell.values.isTimed
import dev.reprise.lab.calls.CallSimulation
import dev.reprise.lab.calls.Travels
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Failure
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Simulation
import dev.reprise.lab.fleet.words
import dev.reprise.lab.scenario.ScenarioFile
import dev.reprise.lab.text.jsonNumber
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonObject

/**
 * Tries policies on the fleet of a scenario file, from several seeds if it says so. In a scenario with tiers the policies
 * retry in all layers, and are tried for each kind of mark between them.
 */
internal class FleetExperiment(private val file: ScenarioFile) :
    Experiment<Map<Travels, List<Result>>>(file.scenario.name, file.policies) {
    private val scenario = file.scenario
    private val hasTiers = scenario.tiers.isNotEmpty()
    private val travels = if (hasTiers) Travels.entries else listOf(Travels.NOTHING)
    private val figures = file.figures.ifEmpty { if (hasTiers) OF_TIERS else USUAL }.map(Figure::named)
    private val pictures = file.pictures.map(FleetPictures::named)

    override fun measure(label: String, contestant: Contestant, seed: Long) = travels.associateWith { travel ->
        requireEnd(label, contestant)
        List(file.seeds) { scenario.run(contestant, travel, seed + it) }
    }

    /** A server that never answers, and a call without any limit, would wait for ever. */
    private fun requireEnd(label: String, contestant: Contestant) {
        val loses = scenario.server.failures.any { it.kind == Failure.Kind.STALL }
        require(!loses || hasTiers || scenario.attemptTimeout != null || contestant.policy.isTimed) {
            "policy $label needs an attemptTimeout or a deadline (or give --set attemptTimeout 2s): " +
                "a server that never answers would hold its calls for ever"
        }
    }

    override fun compare(results: Map<String, Map<Travels, List<Result>>>): Section {
        val runs = results.flatMap { (label, all) ->
            all.map { (travels, runs) -> name(label, travels, results.size) to runs }
        }.toMap()
        val verdicts = runs.mapValues { FleetWords.verdict(scenario, it.value) }
        return Section(
            title = scenario.title + if (scenario.isClosedLoop) " (closed loop)" else "",
            words = scenario.words(),
            reading = FleetWords.reading(runs, figures)
                ?: verdicts.entries.joinToString(" ") { (label, verdict) -> "“$label”: $verdict" },
            plots = pictures.map { it.plot(scenario, runs) },
            heading = listOf("policy") + figures.map { it.heading },
            rows = runs.map { (label, of) -> listOf(label) + figures.map { it.text(of) } },
            headline = figures.map { it.heading },
            verdicts = verdicts,
            isClosedLoop = scenario.isClosedLoop,
        )
    }

    private fun name(label: String, travels: Travels, policies: Int) = when {
        !hasTiers -> label
        policies == 1 -> travels.words
        else -> "$label, ${travels.words}"
    }

    override fun JsonObjectBuilder.write(result: Map<Travels, List<Result>>) {
        if (!hasTiers) return putRuns(result.values.single())
        putObjects("travels", result.entries) { (travels, runs) ->
            put("value", travels.words)
            putRuns(runs)
        }
    }

    /** Of layers, the figures of the library's own behaviour: [Travels.MARKS]. */
    override fun figures(result: Map<Travels, List<Result>>): Map<String, Double> =
        Figure.all.mapValues { (_, figure) -> figure.median(result.getValue(travels.last())) }

    private companion object {
        val USUAL = listOf("success", "amplification", "loss", "p50", "p99", "recovery")
        val OF_TIERS = listOf("amplification", "most-of-call", "success", "recovery")
    }
}

/** Runs this scenario by the engine alone, or, for policies and fleets that need more, by the library's own calls. */
internal fun Scenario.run(contestant: Contestant, travels: Travels, seed: Long): Result {
    val hedges = contestant.policy.hedge != null || fleet.any { it.policy?.policy?.hedge != null }
    return if (hedges || fanOut > 1 || tiers.isNotEmpty()) {
        CallSimulation(this, contestant, travels, seed).run()
    } else {
        Simulation(this, contestant, seed).run()
    }
}

/** Puts the runs of one policy: all figures, and the seconds of the first run. */
internal fun JsonObjectBuilder.putRuns(runs: List<Result>) {
    putJsonObject("figures") {
        for (figure in Figure.all.values) {
            val all = runs.map(figure::of).sorted()
            putJsonObject(figure.name) {
                put("median", jsonNumber(figure.median(runs)))
                put("least", jsonNumber(all.first()))
                put("most", jsonNumber(all.last()))
            }
        }
    }
    putObjects("seconds", runs.first().seconds) { second ->
        put("calls", second.calls)
        put("attempts", second.attempts)
        put("throttled", second.throttled)
        put("succeeded", second.succeeded)
        put("failed", second.failed)
        put("p50Ms", jsonNumber(second.p50))
        put("p99Ms", jsonNumber(second.p99))
    }
}
