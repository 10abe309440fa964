package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.run.Steps
import dev.reprise.lab.run.inParallel
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** Something that is tried with one policy after another, each of them giving an [R]; a [Section] compares them. */
internal abstract class Experiment<R : Any>(
    /** One word, which also names its files. */
    val name: String,
    /** The policies that show most, by label, as they are written on the command line. */
    val standard: Map<String, String>,
) {
    /** How many steps one policy takes. */
    protected abstract val steps: Int

    /** Tries [contestant], which the output calls [label]. */
    protected abstract fun measure(label: String, contestant: Contestant, seed: Long, steps: Steps): R

    /** Compares [results], of which there is at least one. */
    protected abstract fun compare(results: Map<String, R>): Section

    /** How many things happened in virtual time. */
    protected open fun events(result: R): Long = 0

    /** The figures of [result] that an assertion can name. */
    protected open fun figures(result: R): Map<String, Double> = emptyMap()

    /** Writes the figures of one policy. */
    protected abstract fun JsonObjectBuilder.write(result: R)

    /**
     * Tries the [policies], each from the same [seed] and as many at a time as the machine has cores. If [steps] stops
     * it, returns the part that is done.
     */
    fun run(policies: Map<String, Contestant>, seed: Long, steps: Steps): Outcome {
        steps.begin(name, this.steps * policies.size)
        val results = LinkedHashMap<String, R>()
        inParallel(policies.mapValues { (label, policy) -> { measure(label, policy, seed, steps) } }) { label, result ->
            results[label] = result
        }
        val isPartial = results.size < policies.size
        return Outcome(
            section = if (results.isEmpty()) null else compare(results),
            missing = policies.keys - results.keys,
            json = json(results, seed, isPartial),
            events = results.values.sumOf { events(it) },
            figures = results.mapValues { figures(it.value) },
        )
    }

    private fun json(results: Map<String, R>, seed: Long, isPartial: Boolean): JsonObject = buildJsonObject {
        put("experiment", name)
        put("seed", seed)
        put("partial", isPartial)
        putObjects("policies", results.entries) { (label, result) ->
            put("policy", label)
            write(result)
        }
    }

    /**
     * The outcome of a run: no [section] if it was stopped before its first policy was done, and the labels of the
     * [missing] policies.
     */
    class Outcome(
        val section: Section?,
        val missing: Set<String>,
        val json: JsonObject,
        val events: Long,
        /** The figures that an assertion can name, by label of the policy. */
        val figures: Map<String, Map<String, Double>>,
    )
}
