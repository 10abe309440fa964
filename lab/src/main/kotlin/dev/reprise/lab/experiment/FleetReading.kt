package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.measure.Result
import dev.reprise.lab.text.contrast

/** What one sees in the results, where the policies differ. */
internal object FleetReading {
    fun of(results: Map<String, List<Result>>, figures: List<Figure>): String? {
        if (figures.none { it.name == "recovery" }) return null
        val load = contrast(
            results.mapValues { Figure.all.getValue("amplification").median(it.value) },
            "makes",
            "attempts of each call while the server fails",
            digits = 2,
        )
        val recovery = results.mapValues { Figure.all.getValue("recovery").median(it.value) }
        val never = recovery.filterValues { it == Double.POSITIVE_INFINITY }.keys
        val others = recovery - never
        if (others.isEmpty()) return "$load No policy is served as before again."
        val all = if (never.isEmpty()) "every policy" else "every other policy"
        val after = contrast(others, "is served as before", "s after the server is back", digits = 0, all)
        return never.fold(load) { text, name -> "$text “$name” is never served as before again." } + " $after"
    }
}
