package dev.reprise.lab.adaptive

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.arguments.PolicyArgument
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.run.LongRun
import dev.reprise.lab.run.Stopped

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

    private val json by option("--json", help = "JSON instead of Markdown").flag()

    override fun run() {
        val named = PolicyArgument.labelled(policies).mapValues { PolicyArgument.read(it.value) }
        plots?.let { folder -> return RatePlots.scenes.forEach { RatePlots.draw(it, named, folder) } }
        val conditions = Conditions.run { steady + shared + latencies + below + wandering }.filter { only in it.name }
        val changes = Conditions.steps(0).map { it.name }.filter { only in it }
        if (seeds !in 1..MOST_SEEDS) throw BadInput("seeds must be from 1 to $MOST_SEEDS: $seeds")
        if (conditions.isEmpty() && changes.isEmpty()) throw BadInput("no condition has this in its name: $only")
        val done = mutableListOf<Figures>()
        val isPartial =
            LongRun.of(isQuiet = json) { steps ->
                steps.begin(
                    "converge",
                    named.size * (conditions.size * seeds + changes.size * maxOf(seeds, STEP_SEEDS)),
                )
                try {
                    tell(done, conditions.map { it.name }, named.keys, isChange = false) { condition ->
                        named.map { (name, policy) ->
                            measure(conditions.first { it.name == condition }, name, policy, steps::done)
                        }
                    }
                    tell(done, changes, named.keys, isChange = true) { change ->
                        named.map { (name, policy) -> settle(change, name, policy, steps::done) }
                    }
                    false
                } catch (_: Stopped) {
                    true
                }
            }
        if (json) {
            echo(ConvergenceOutput.json(done, isPartial))
        } else if (isPartial) {
            echo("Partial: stopped before its end.")
        }
    }

    /** Measures one condition after another, and prints its row as soon as it is done. */
    private fun tell(
        done: MutableList<Figures>,
        conditions: List<String>,
        policies: Set<String>,
        isChange: Boolean,
        figures: (String) -> List<Figures>,
    ) {
        if (conditions.isEmpty()) return
        if (!json) ConvergenceOutput.head(policies, isChange).forEach { echo(it) }
        for (condition in conditions) {
            val row = figures(condition)
            done += row
            if (!json) echo(ConvergenceOutput.row(row))
        }
        if (!json) echo("")
    }

    private fun measure(condition: Condition, name: String, policy: RetryPolicy, onRun: () -> Unit): Figures {
        val runs = (1L..seeds).map { seed -> Convergence.of(condition, policy, seed).also { onRun() } }
        return Figures.Steady(
            condition.name,
            name,
            success = runs.median { it.success },
            throttled = runs.median { it.throttled },
            worstCaller = runs.minOf { it.worstCaller },
            worstClient = runs.minOf { it.worstClient },
            waits = runs.median { it.waits.toDouble() }.toInt(),
        )
    }

    private fun settle(change: String, name: String, policy: RetryPolicy, onRun: () -> Unit): Figures {
        val times =
            (1L..maxOf(seeds, STEP_SEEDS)).map { seed ->
                val condition = Conditions.steps(seed).first { it.name == change }
                Convergence.of(condition, policy, seed).settling.also { onRun() }
            }
        return Figures.Change(change, name, median = times.median { it }, slowest = times.max())
    }

    private fun <T> List<T>.median(figure: (T) -> Double): Double = map(figure).sorted()[size / 2]

    private companion object {
        const val STEP_SEEDS = 9
        const val MOST_SEEDS = 1_000
    }
}
