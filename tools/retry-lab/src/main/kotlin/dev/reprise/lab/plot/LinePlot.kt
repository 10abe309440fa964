package dev.reprise.lab.plot

import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon
import org.jetbrains.letsPlot.geom.geomLine
import org.jetbrains.letsPlot.ggsize
import org.jetbrains.letsPlot.intern.toSpec
import org.jetbrains.letsPlot.label.labs
import org.jetbrains.letsPlot.letsPlot
import org.jetbrains.letsPlot.scale.scaleColorManual
import org.jetbrains.letsPlot.scale.scaleYLog10
import org.jetbrains.letsPlot.themes.elementBlank
import org.jetbrains.letsPlot.themes.elementLine
import org.jetbrains.letsPlot.themes.elementText
import org.jetbrains.letsPlot.themes.theme

/** One line of a plot. */
internal class Line(val name: String, val points: List<Pair<Double, Double>>)

/** Several lines over one axis, as SVG that reads well on a light page and on a dark one. */
internal class LinePlot(
    private val title: String,
    private val x: String,
    private val y: String,
    private val lines: List<Line>,
    private val isLogarithmic: Boolean = false,
) {
    /** The picture; text stays text. */
    fun svg(): String {
        val data =
            mapOf(
                x to lines.flatMap { line -> line.points.map { it.first } },
                y to lines.flatMap { line -> line.points.map { it.second } },
                LINE to lines.flatMap { line -> line.points.map { line.name } },
            )
        val axes = this
        val plot =
            letsPlot(data) {
                x = axes.x
                y = axes.y
                color = LINE
            } + geomLine(size = 0.9) + scaleColorManual(values = COLOURS) +
                labs(title = title, color = "") + ggsize(WIDTH, HEIGHT) + QUIET
        val scaled = if (isLogarithmic) plot + scaleYLog10() else plot
        return named(
            PlotSvgExportCommon.buildSvgImageFromRawSpecs(scaled.toSpec(), null, UnsupportedRGBEncoder(), true),
        )
    }

    /** The library names parts of a picture at random; the same picture shall be the same text. */
    private fun named(svg: String): String {
        // The library answers a picture of its own error message.
        check("Error building plot" !in svg) { "plot cannot be drawn: ${svg.takeLast(SHOWN)}" }
        val prefix = title.lowercase().filter { it.isLetterOrDigit() }
        val names = ID.findAll(svg).map { it.groupValues[1] }.distinct().toList()
        return names.foldIndexed(svg) { i, text, name -> text.replace(name, "$prefix$i") }
    }

    private companion object {
        const val LINE = "line"
        const val SHOWN = 400
        val ID = Regex("""\bid="([^"]+)"""")
        const val WIDTH = 820
        const val HEIGHT = 320

        /** Told apart on white and on black, and by those who see no red or no green (after Okabe and Ito). */
        val COLOURS = listOf("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c8c8c")

        /** No ground of its own, and grey where black or white would vanish. */
        val QUIET =
            theme(
                plotBackground = elementBlank(),
                panelBackground = elementBlank(),
                legendBackground = elementBlank(),
                panelGrid = elementLine(color = "rgba(128,128,128,0.25)"),
                axisLine = elementLine(color = "#808080"),
                axisTicks = elementLine(color = "#808080"),
                text = elementText(color = "#808080"),
                title = elementText(color = "#808080"),
            )
    }
}
