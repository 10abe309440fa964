package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.measure.Result
import dev.reprise.lab.scenario.Scenario
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.percent

/** One line of a summary: how a policy did. */
internal object Verdicts {
    fun of(scenario: Scenario, runs: List<Result>): String {
        val parts = mutableListOf<String>()
        val recovery = Figure.all.getValue("recovery").median(runs)
        if (!recovery.isNaN()) parts += back(recovery)
        val amplification = Figure.all.getValue("amplification").median(runs)
        parts += "${decimal(amplification, 2)} attempts per call" + if (recovery.isNaN()) "" else " while it fails"
        parts += "${percent(1 - Figure.all.getValue("success").median(runs))} of calls lost"
        if (scenario.server.admission.isNotEmpty()) {
            parts += "${percent(Figure.all.getValue("throttled").median(runs))} of attempts refused"
        }
        return parts.joinToString(", ") + "."
    }

    private fun back(recovery: Double) = when (recovery) {
        Double.POSITIVE_INFINITY -> "never comes back"
        0.0 -> "back at once"
        else -> "back after ${decimal(recovery, 0)} s"
    }
}
