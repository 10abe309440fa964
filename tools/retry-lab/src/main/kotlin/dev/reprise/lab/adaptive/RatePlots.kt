package dev.reprise.lab.adaptive

import dev.reprise.core.RetryPolicy
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon
import org.jetbrains.letsPlot.geom.geomLine
import org.jetbrains.letsPlot.ggsize
import org.jetbrains.letsPlot.intern.toSpec
import org.jetbrains.letsPlot.label.labs
import org.jetbrains.letsPlot.letsPlot
import org.jetbrains.letsPlot.scale.scaleColorManual
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

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
        val times = mutableListOf<Double>()
        val rates = mutableListOf<Double>()
        val lines = mutableListOf<String>()

        fun point(at: Double, rate: Double, line: String) {
            times += at
            rates += rate
            lines += line
        }

        for ((name, policy) in policies) {
            for (sample in Convergence.of(scene.condition, policy, seed = 1).samples) {
                if (sample.at in scene.from..scene.to) point(sample.at, sample.permitted, name)
            }
        }
        var at = scene.from
        while (at <= scene.to) {
            point(at, scene.condition.capacity(at), "the server")
            at += STEP
        }
        val plot =
            letsPlot(mapOf("seconds" to times, "attempts a second" to rates, "line" to lines)) {
                x = "seconds"
                y = "attempts a second"
                color = "line"
            } + geomLine(size = 0.8) + scaleColorManual(values = COLOURS) +
                labs(title = scene.condition.name, color = "") + ggsize(WIDTH, HEIGHT)
        folder.createDirectories()
        folder.resolve("${scene.file}.svg").writeText(svg(plot.toSpec()))
    }

    private fun svg(spec: MutableMap<String, Any>): String =
        PlotSvgExportCommon.buildSvgImageFromRawSpecs(spec, null, UnsupportedRGBEncoder(), true)

    private const val STEP = 0.5
    private const val WIDTH = 820
    private const val HEIGHT = 320
    private val COLOURS = listOf("#d1495b", "#2a6f97", "#9a9a9a")
}
