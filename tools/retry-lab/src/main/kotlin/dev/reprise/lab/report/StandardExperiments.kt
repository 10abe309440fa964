package dev.reprise.lab.report

import dev.reprise.lab.experiment.DelaysExperiment
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.OccExperiment
import dev.reprise.lab.experiment.OutageExperiment
import dev.reprise.lab.experiment.ThrottleExperiment
import dev.reprise.lab.sim.OutageKind
import dev.reprise.lab.sim.OutageScenario
import dev.reprise.lab.sim.ThrottleScenario

/** The experiments of a report, in the order of its page; [size] shrinks fleets and runs, from 1 down. */
internal class StandardExperiments(private val size: Double) {
    init {
        require(size > 0 && size <= 1) { "size must be above 0 and at most 1: $size" }
    }

    val all: List<Experiment<*>> =
        listOf(
            DelaysExperiment(),
            outage("outage", OutageKind.ERROR, attemptTimeout = null),
            outage("stall", OutageKind.STALL, attemptTimeout = 2.0),
            ThrottleExperiment(ThrottleScenario(rates = listOf(0.0 to 100.0, 120.0 to 50.0), seconds = 240.0)),
            OccExperiment(clients = (10..190 step 30).toList(), runs = scaled(20)),
        )

    private fun outage(name: String, kind: OutageKind, attemptTimeout: Double?) = OutageExperiment(
        OutageScenario(
            clients = scaled(1_000),
            capacity = scaled(1_000) * SPARE,
            outageEnd = 90.0,
            kind = kind,
            attemptTimeout = attemptTimeout,
        ),
        name,
    )

    private fun scaled(n: Int) = (n * size).toInt().coerceAtLeast(1)

    companion object {
        private const val SPARE = 1.5

        /** Their names. */
        val names: List<String> get() = StandardExperiments(size = 1.0).all.map { it.name }
    }
}
