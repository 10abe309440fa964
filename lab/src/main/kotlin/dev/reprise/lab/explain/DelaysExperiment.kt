package dev.reprise.lab.explain

import dev.reprise.core.FailureKind
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.percent
import kotlinx.serialization.json.JsonObjectBuilder

/** The delays of policies for a call that fails again and again. */
internal class DelaysExperiment : Experiment<Explanation>("delays", BuiltIn.policies("outage")) {
    override val steps: Int get() = 1

    override fun measure(label: String, contestant: Contestant, seed: Long, onStep: () -> Unit) =
        Explanation(contestant.policy, FailureKind.TRANSIENT, samples = 2_000, seed).also { onStep() }

    override fun compare(results: Map<String, Explanation>) = Section(
        title = "What a call that keeps failing waits",
        words = "A call fails again and again, for a transient reason. How long has it waited before each attempt? " +
            "Deadlines and quotas are left aside.",
        reading = reading(results),
        plots = listOf(plot(results)),
        heading = listOf("policy", "attempts", "mean wait ms", "worst wait ms", "tokens", "quota dry above"),
        rows = results.map { (name, it) ->
            listOf(
                name,
                "${it.attempts}",
                decimal(it.meanMillis),
                decimal(millis(it.worstSum)),
                "${it.costOfAll}",
                it.drainsFrom?.let(::percent) ?: "never",
            )
        },
        headline = listOf("attempts", "mean wait ms", "worst wait ms"),
    )

    private fun reading(results: Map<String, Explanation>): String {
        val waited = results.mapValues { it.value.meanMillis }
        return contrast(waited, "has waited", "ms before its last attempt, on average")
    }

    private fun plot(results: Map<String, Explanation>) = LinePlot(
        name = name,
        title = "Mean time waited before an attempt",
        x = "attempt",
        y = "ms",
        lines = results.map { (name, it) ->
            val points = it.rows.map { row -> row.attempt.toDouble() to millis(row.meanSum) }
            Line(name, listOf(1.0 to 0.0) + points)
        },
    )

    override fun JsonObjectBuilder.write(result: Explanation) = result.writeTo(this)

    private val Explanation.meanMillis get() = millis(meanSum)
}
