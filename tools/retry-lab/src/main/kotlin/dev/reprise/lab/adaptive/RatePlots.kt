package dev.reprise.lab.adaptive

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.percent
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import kotlin.math.min

/** Pictures of the permitted rate over time, one line for each policy and one for what the server admits. */
internal object RatePlots {
    /** What is drawn: a condition, and which part of it. */
    class Scene(val file: String, val condition: Condition, val from: Double, val to: Double)

    val scenes: List<Scene> =
        listOf(
            Scene("adaptive-1000", Conditions.steady.first { it.name == "1000/s, 200 callers" }, 0.0, 120.0),
            Scene("adaptive-10", Conditions.steady.first { it.name == "10/s, 10 callers" }, 200.0, 260.0),
            Scene("adaptive-1-to-10", Conditions.step(1, 10, seed = 0), 180.0, 260.0),
            Scene("adaptive-wander", Conditions.wandering.first { "around 100/s" in it.name }, 120.0, 300.0),
        )

    fun draw(scene: Scene, policies: Map<String, RetryPolicy>, folder: Path) {
        val capacity = scene.condition.capacity
        val samples = policies.mapValues { (_, policy) ->
            Convergence.of(scene.condition, policy, seed = 1).samples.filter { it.at in scene.from..scene.to }
        }
        val lines = samples.map { (name, taken) -> Line(name, taken.map { it.at to it.permitted }) }
        val moments = generateSequence(scene.from) { it + STEP }.takeWhile { it <= scene.to }
        val server = Line("the server", moments.map { it to capacity(it) }.toList(), isBounds = true)
        val permitted = samples.mapValues { (_, taken) ->
            taken.sumOf { min(it.permitted, capacity(it.at)) } / taken.sumOf { capacity(it.at) }
        }
        val plot = LinePlot(
            name = scene.file,
            title = permitted.entries.joinToString(", ") { (name, share) -> "“$name” permits ${percent(share)}" } +
                " of what the server admits",
            x = "seconds",
            y = "attempts a second",
            lines = lines + server,
            caption = scene.condition.name,
        )
        folder.createDirectories()
        folder.resolve("${scene.file}.svg").writeText(plot.svg())
    }

    private const val STEP = 0.5
}
