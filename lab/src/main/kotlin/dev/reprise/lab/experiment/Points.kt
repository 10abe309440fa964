package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.measure.Result
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.percent

/** Which policies a picture is about: those with the most and the least load, those that never come back, and standard mode. */
internal object Notable {
    private const val FEW = 3

    /** Their labels; empty where there are so few that all of them are. */
    fun of(results: Map<String, List<Result>>): Set<String> {
        if (results.size <= FEW) return emptySet()
        val load = results.mapValues { Figure.all.getValue("amplification").median(it.value) }
        val never = results.filterValues { Figure.all.getValue("recovery").median(it) == Double.POSITIVE_INFINITY }.keys
        return setOf(load.maxBy { it.value }.key, load.minBy { it.value }.key) + never +
            results.keys.filter { it == "standard-2.1" }
    }
}

/** The one point that a picture makes, which is its title; `null` for a picture that has none. */
internal object Points {
    fun attempts(results: Map<String, List<Result>>): String? {
        if (results.size < 2) return null
        val recovery = Figure.all.getValue("recovery")
        val load = results.mapValues { Figure.all.getValue("amplification").median(it.value) }
        if (results.values.any { recovery.median(it).isNaN() }) return refused(results)
        val (most, least) = load.maxBy { it.value } to load.minBy { it.value }
        return "“${most.key}” sends ${decimal(most.value)} attempts per call, “${least.key}” ${decimal(least.value)}"
    }

    private fun refused(results: Map<String, List<Result>>): String? {
        val refused = results.mapValues { Figure.all.getValue("throttled").median(it.value) }
        val most = refused.maxBy { it.value }
        return if (most.value == 0.0) null else "“${most.key}” has ${percent(most.value)} of its attempts refused"
    }

    fun served(results: Map<String, List<Result>>): String? {
        val recovery = results.mapValues { Figure.all.getValue("recovery").median(it.value) }
        if (recovery.values.any { it.isNaN() }) return null
        val never = recovery.filterValues { it == Double.POSITIVE_INFINITY }.keys
        if (never.isNotEmpty()) return never.joinToString { "“$it”" } + " never comes back"
        val slowest = recovery.maxBy { it.value }
        return if (slowest.value == 0.0) {
            "Every policy is served at once when the server is back"
        } else {
            "“${slowest.key}” takes ${decimal(slowest.value, 0)} s to come back"
        }
    }

    fun slowest(results: Map<String, List<Result>>): String? {
        if (results.size < 2) return null
        val p99 = results.mapValues { Figure.all.getValue("p99").median(it.value) }
        val most = p99.maxBy { it.value }
        return "99 of 100 good calls of “${most.key}” take up to ${decimal(most.value, 0)} ms"
    }
}
