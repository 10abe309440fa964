package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.percent

/** The results of a fleet in words: sentences, titles of pictures, and the policies that they are about. */
internal object FleetWords {
    private const val FEW = 3
    private val load = Figure.named("amplification")
    private val recovery = Figure.named("recovery")
    private val throttled = Figure.named("throttled")

    /** Where the policies differ; `null` where no failure ends. */
    fun reading(results: Map<String, List<Result>>, figures: List<Figure>): String? {
        if (recovery !in figures) return null
        val loads = contrast(load.medians(results), "makes", "attempts of each call while the server fails", digits = 2)
        val recoveries = recovery.medians(results)
        val never = neverBack(recoveries)
        val others = recoveries - never
        if (others.isEmpty()) return "$loads No policy is served as before again."
        val all = if (never.isEmpty()) "every policy" else "every other policy"
        val after = if (others.values.all { it == 0.0 }) {
            "${all.replaceFirstChar { it.uppercase() }} is served as before at once when the server is back."
        } else {
            contrast(others, "is served as before", "s after the server is back", digits = 0, all)
        }
        return never.fold(loads) { text, name -> "$text “$name” is never served as before again." } + " $after"
    }

    /** How one policy did, in one line. */
    fun verdict(scenario: Scenario, runs: List<Result>): String {
        fun figure(name: String) = Figure.named(name).median(runs)
        val back = recovery.median(runs)
        // Parts of the calls say nothing where who fails sooner asks sooner.
        val calls = if (scenario.isClosedLoop) {
            "${decimal(figure("goodput"))} good calls a second"
        } else {
            "${decimal(load.median(runs), 2)} attempts per call, ${percent(figure("loss"))} of calls lost"
        }
        val waits = "99 of 100 good ones within ${decimal(figure("p99"), 0)} ms".takeIf { back.isNaN() }
        val refused =
            "${percent(throttled.median(runs))} of attempts refused".takeIf { scenario.server.admission.isNotEmpty() }
        val all = listOfNotNull(calls, waits, refused).joinToString(", ")
        val verdict = if (back.isNaN()) "$all." else "While it fails: $all. Then: ${back(back)}."
        return listOfNotNull(verdict, pace(scenario, runs)).joinToString(" ")
    }

    /** How a policy with a send rate does what that is for; `null` for the others. */
    private fun pace(scenario: Scenario, runs: List<Result>): String? {
        if (!runs.first().isPaced) return null
        val rule = scenario.server.admission.firstOrNull()
            ?: return "Its send rate is for servers that throttle, and this one does not."
        val used = Figure.named("admitted").median(runs) / rule.meanRate(scenario.warmUp, scenario.seconds)
        return "It is there to keep to the server's rate: it uses ${percent(used)} of it."
    }

    private fun back(seconds: Double) = when {
        seconds.isInfinite() -> "never comes back"
        seconds == 0.0 -> "back at once"
        else -> "back after ${decimal(seconds, 0)} s"
    }

    /**
     * The policies to name under a picture, by label: those with the most and the least load, those that never come
     * back, and standard mode. Empty if there are so few policies that all are notable.
     */
    fun notable(results: Map<String, List<Result>>): Set<String> {
        if (results.size <= FEW) return emptySet()
        val loads = load.medians(results)
        return setOf(loads.maxBy { it.value }.key, loads.minBy { it.value }.key) +
            neverBack(recovery.medians(results)) + results.keys.filter { it == "standard-2.1" }
    }

    /** The point that a picture of attempts makes; `null` for none. */
    fun attempts(results: Map<String, List<Result>>): String? {
        if (results.size < 2) return null
        if (recovery.medians(results).values.any { it.isNaN() }) return refused(results)
        val loads = load.medians(results)
        val (most, least) = loads.maxBy { it.value } to loads.minBy { it.value }
        return "“${most.key}” sends ${decimal(most.value)} attempts per call, “${least.key}” ${decimal(least.value)}"
    }

    private fun refused(results: Map<String, List<Result>>): String? {
        val most = throttled.medians(results).maxBy { it.value }
        return if (most.value == 0.0) null else "“${most.key}” has ${percent(most.value)} of its attempts refused"
    }

    /** The point that a picture of good calls makes; `null` for none. */
    fun served(results: Map<String, List<Result>>): String? {
        val recoveries = recovery.medians(results)
        if (recoveries.values.any { it.isNaN() }) return null
        val never = neverBack(recoveries)
        if (never.isNotEmpty()) return never.joinToString { "“$it”" } + " never comes back"
        val slowest = recoveries.maxBy { it.value }
        if (slowest.value == 0.0) return "Every policy is served at once when the server is back"
        return "“${slowest.key}” takes ${decimal(slowest.value, 0)} s to come back"
    }

    /** The point that a picture of the slowest calls makes; `null` for none. */
    fun slowest(results: Map<String, List<Result>>): String? {
        if (results.size < 2) return null
        val most = Figure.named("p99").medians(results).maxBy { it.value }
        return "99 of 100 good calls of “${most.key}” take up to ${decimal(most.value, 0)} ms"
    }

    private fun neverBack(recoveries: Map<String, Double>) =
        recoveries.filterValues { it == Double.POSITIVE_INFINITY }.keys
}
