package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.run.LongRun
import dev.reprise.lab.run.inParallel
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put

/** Something that is tried with one policy after another, each of them giving an [R]; a [Section] compares them. */
internal abstract class Experiment<R : Any>(
    /** One word, which also names its files. */
    val name: String,
    /** The policies that show most, by label, as they are written on the command line. */
    val standard: Map<String, String>,
) {
    protected abstract val steps: Int

    /** Tries [contestant], which the output calls [label]; [onStep] hears of each step. */
    protected abstract fun measure(label: String, contestant: Contestant, seed: Long, onStep: () -> Unit): R

    /** Compares [results], of which there is at least one. */
    protected abstract fun compare(results: Map<String, R>): Section

    /** How many things happened in virtual time. */
    protected open fun events(result: R): Long = 0

    /** The figures of [result] that an assertion can name. */
    protected open fun figures(result: R): Map<String, Double> = emptyMap()

    protected abstract fun JsonObjectBuilder.write(result: R)

    /**
     * Tries the [policies], each from the same [seed] and as many at a time as the machine has cores. If [run] is stopped,
     * returns the part that is done.
     */
    fun run(policies: Map<String, Contestant>, seed: Long, run: LongRun): Outcome {
        run.begin(name, steps * policies.size)
        val results = inParallel(policies.mapValues { (label, policy) -> { measure(label, policy, seed, run::done) } })
        val missing = policies.keys - results.keys
        return Outcome(
            name = name,
            section = if (results.isEmpty()) null else compare(results),
            missing = missing,
            json = buildJsonObject {
                put("experiment", name)
                put("seed", seed)
                put("partial", missing.isNotEmpty())
                putObjects("policies", results.entries) { (label, result) ->
                    put("policy", label)
                    write(result)
                }
            },
            events = results.values.sumOf { events(it) },
            figures = results.mapValues { figures(it.value) },
        )
    }

    /** The outcome of a run. */
    class Outcome(
        val name: String,
        /** `null` if it was stopped before its first policy was done. */
        val section: Section?,
        /** The labels of the policies that were not tried to the end. */
        val missing: Set<String>,
        val json: JsonObject,
        val events: Long,
        /** The figures that an assertion can name, by label of the policy. */
        val figures: Map<String, Map<String, Double>>,
    ) {
        val isPartial: Boolean get() = missing.isNotEmpty()
    }
}
