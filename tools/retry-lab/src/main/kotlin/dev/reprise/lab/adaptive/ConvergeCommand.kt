package dev.reprise.lab.adaptive

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.arguments.PolicyArgument
import java.util.Locale

/** `retry-lab converge`: does adaptive mode find a server's rate, and does it stay there? */
class ConvergeCommand : CliktCommand(name = "converge") {
    private val policies by option("--policy", help = "a preset or policy document; repeat for several")
        .multiple(listOf("adaptive-2.1", "adaptive-steady"))
    private val seeds by option("--seeds", help = "runs for each figure; the median is printed").int().default(3)
    private val only by option("--only", help = "only conditions whose name contains this").default("")
    private val plots by option("--plots", help = "draw the rate over time into this folder instead").path()

    override fun help(context: Context) =
        "Ten minutes of a throttling server in virtual time, with the real executor and limiter: what is served, " +
            "what is throttled, how fairly, and how soon after a change. Prints Markdown."

    override fun run() {
        val named = policies.associateWith(PolicyArgument::read)
        plots?.let { folder -> return RatePlots.scenes.forEach { RatePlots.draw(it, named, folder) } }
        val all = Conditions.run { steady + shared + latencies + below + wandering }.filter { only in it.name }
        if (all.isNotEmpty()) {
            val figures = listOf("throttled", "worst caller", "worst client", "waits")
            echo(heading("condition", policies.flatMap { listOf(it) + figures }))
            for (condition in all) echo(row(condition.name, named.values.flatMap { measure(condition, it) }))
            echo("")
        }
        val steps = Conditions.steps(0).map { it.name }.filter { only in it }
        if (steps.isEmpty()) return
        echo(heading("change", policies.flatMap { listOf(it, "slowest") }))
        for (step in steps) echo(row(step, named.values.flatMap { settle(step, it) }))
    }

    private fun measure(condition: Condition, policy: RetryPolicy): List<String> {
        val runs = (1L..seeds).map { Convergence.of(condition, policy, it) }
        return listOf(
            decimal(runs.median { it.success }, 2),
            decimal(runs.median { it.throttled } * 100, 2) + " %",
            decimal(runs.minOf { it.worstCaller }, 2),
            decimal(runs.minOf { it.worstClient }, 2),
            runs.median { it.waits.toDouble() }.toInt().toString(),
        )
    }

    private fun settle(name: String, policy: RetryPolicy): List<String> {
        val times =
            (1L..maxOf(seeds, STEP_SEEDS)).map { seed ->
                Convergence.of(Conditions.steps(seed).first { it.name == name }, policy, seed).settling
            }
        return listOf(decimal(times.median { it }, 1) + " s", decimal(times.max(), 1) + " s")
    }

    private fun <T> List<T>.median(figure: (T) -> Double): Double = map(figure).sorted()[size / 2]

    private fun heading(first: String, columns: List<String>) =
        row(first, columns) + "\n|---|" + columns.joinToString("") { "---:|" }

    private fun row(first: String, cells: List<String>) = (listOf(first) + cells).joinToString(" | ", "| ", " |")

    private fun decimal(value: Double, digits: Int) = "%.${digits}f".format(Locale.ROOT, value)

    private companion object {
        const val STEP_SEEDS = 9
    }
}
