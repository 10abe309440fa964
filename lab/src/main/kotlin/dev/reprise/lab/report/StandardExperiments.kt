package dev.reprise.lab.report

import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.FleetExperiment
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Changes
import dev.reprise.lab.scenario.ScenarioFileReader
import java.nio.file.Path

/** The experiments of a report, in the order of its page. */
internal object StandardExperiments {
    val all: List<Experiment<*>> = listOf(
        builtIn("outage") { it["server.failures[0].to"] = "90s" },
        builtIn("stall"),
        // Closed loops come last: their figures are no parts of a given number of calls.
        builtIn("throttle") {
            it["seconds"] = "240s"
            it.steps("server.admission[0].rate", listOf(0.0 to 100.0, 120.0 to 50.0))
        },
    )

    val names: List<String> = all.map { it.name }

    private fun builtIn(name: String, change: (Changes) -> Unit = {}): Experiment<*> {
        val changes = Changes().also(change)
        return FleetExperiment(ScenarioFileReader(Path.of("")).read(changes.applyTo(BuiltIn.document(name))))
    }
}
