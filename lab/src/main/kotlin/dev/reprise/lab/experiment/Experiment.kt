package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Contestant
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
    /** Tries [contestant], which the output calls [label]. */
    protected abstract fun measure(label: String, contestant: Contestant, seed: Long): R

    /** Compares [results], of which there is at least one. */
    protected abstract fun compare(results: Map<String, R>): Section

    /** The figures of [result] that an assertion can name. */
    protected open fun figures(result: R): Map<String, Double> = emptyMap()

    protected abstract fun JsonObjectBuilder.write(result: R)

    /** Tries the [policies], each from the same [seed] and as many at a time as the machine has cores. */
    fun run(policies: Map<String, Contestant>, seed: Long): Outcome {
        val results = inParallel(policies.mapValues { (label, policy) -> { measure(label, policy, seed) } })
        return Outcome(
            name = name,
            section = compare(results),
            json = buildJsonObject {
                put("experiment", name)
                put("seed", seed)
                putObjects("policies", results.entries) { (label, result) ->
                    put("policy", label)
                    write(result)
                }
            },
            figures = results.mapValues { figures(it.value) },
        )
    }

    /** The outcome of a run. */
    class Outcome(
        val name: String,
        val section: Section,
        val json: JsonObject,
        /** The figures that an assertion can name, by label of the policy. */
        val figures: Map<String, Map<String, Double>>,
    )
}
