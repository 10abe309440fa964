package dev.reprise.lab.report

import dev.reprise.lab.experiment.Changes
import dev.reprise.lab.experiment.DelaysExperiment
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.experimentOf
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.with
import java.nio.file.Path

/** The experiments of a report, in the order of its page; [size] shrinks fleets and runs, from 1 down. */
internal class StandardExperiments(private val size: Double) {
    init {
        require(size > 0 && size <= 1) { "size must be above 0 and at most 1: $size" }
    }

    val all: List<Experiment<*>> =
        listOf(
            DelaysExperiment(),
            builtIn("outage") { seconds("server.failures[0].to", OUTAGE_END) },
            builtIn("stall") { },
            builtIn("errors") { },
            builtIn("partial") { },
            builtIn("throttle") {
                seconds("seconds", THROTTLE_END)
                steps("server.admission[0].rate", listOf(0.0 to 100.0, 120.0 to 50.0))
            },
            builtIn("occ") {
                wholes("contention.clients", (10..190 step 30).toList())
                whole("contention.runs", scaled(20))
            },
        )

    private fun builtIn(name: String, change: Changes.() -> Unit): Experiment<*> {
        // Ten clients that know nothing of each other are what the throttled server is about: they are not made fewer.
        val changes = Changes().apply(change).apply { if (name != "throttle" && name != "occ") number("size", size) }
        val document = changes.all.entries.fold(BuiltIn.document(name)) { all, (path, value) -> all.with(path, value) }
        return experimentOf(ScenarioFileReader(Path.of("")), document)
    }

    private fun scaled(n: Int) = (n * size).toInt().coerceAtLeast(1)

    companion object {
        private const val OUTAGE_END = 90.0
        private const val THROTTLE_END = 240.0

        /** Their names. */
        val names: List<String> get() = StandardExperiments(size = 1.0).all.map { it.name }
    }
}
