package dev.reprise.studies.adaptive

import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.percent
import kotlin.math.min

/** A picture of the permitted rate over time: one line for each policy and one for the server's rate. Times in s. */
internal class RatePicture(
    /** The file's name, without its ending. */
    private val name: String,
    val condition: String,
    private val from: Double,
    private val to: Double,
) {
    /** The picture of [runs], by label of the policy; there is at least one. */
    fun plot(runs: Map<String, Convergence>): LinePlot {
        val capacity = runs.values.first().condition.capacity
        val samples = runs.mapValues { (_, run) -> run.samples.filter { it.at in from..to } }
        val lines = samples.map { (label, taken) -> Line(label, taken.map { it.at to it.permitted }) }
        val moments = generateSequence(from) { it + 0.5 }.takeWhile { it <= to }
        val server = Line("the server", moments.map { it to capacity(it) }.toList(), isBounds = true)
        val permitted = samples.mapValues { (_, taken) ->
            taken.sumOf { min(it.permitted, capacity(it.at)) } / taken.sumOf { capacity(it.at) }
        }
        return LinePlot(
            name = name,
            title = permitted.entries.joinToString(", ") { (label, share) -> "“$label” permits ${percent(share)}" } +
                " of what the server admits",
            x = "seconds",
            y = "attempts a second",
            lines = lines + server,
            caption = condition,
        )
    }
}
