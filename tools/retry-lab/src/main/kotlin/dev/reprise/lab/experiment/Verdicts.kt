package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.measure.Result
import dev.reprise.lab.scenario.Scenario

/** One line of a summary: how a policy did. */
internal object Verdicts {
    fun of(scenario: Scenario, runs: List<Result>): String {
        val parts = mutableListOf<String>()
        val recovery = Figure.all.getValue("recovery").median(runs)
        if (recovery == Double.POSITIVE_INFINITY) {
            parts += "never served as before again"
        } else if (!recovery.isNaN()) {
            parts += "served as before ${Figure.all.getValue("recovery").text(recovery)} s after"
        }
        val amplification = Figure.all.getValue("amplification").median(runs)
        val span = if (recovery.isNaN()) "" else " while the server fails"
        parts += "${decimal(amplification, 2)} attempts per call$span"
        parts += "${percent(1 - Figure.all.getValue("success").median(runs))} of calls lost"
        if (scenario.server.admission.isNotEmpty()) {
            parts += "${percent(Figure.all.getValue("throttled").median(runs))} of attempts refused"
        }
        return parts.joinToString(", ") + "."
    }
}
