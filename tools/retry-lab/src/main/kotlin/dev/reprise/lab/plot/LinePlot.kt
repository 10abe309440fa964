package dev.reprise.lab.plot

import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon
import org.jetbrains.letsPlot.geom.geomLine
import org.jetbrains.letsPlot.geom.geomPoint
import org.jetbrains.letsPlot.ggsize
import org.jetbrains.letsPlot.intern.toSpec
import org.jetbrains.letsPlot.label.labs
import org.jetbrains.letsPlot.letsPlot
import org.jetbrains.letsPlot.scale.scaleColorManual
import org.jetbrains.letsPlot.scale.scaleXContinuous
import org.jetbrains.letsPlot.scale.scaleYContinuous

/** One line of a plot. */
internal class Line(val name: String, val points: List<Pair<Double, Double>>)

/** Several lines over one axis, as SVG that reads well on a light page and on a dark one. */
internal class LinePlot(
    /** The file's name, without its ending. */
    val name: String,
    val title: String,
    private val x: String,
    private val y: String,
    private val lines: List<Line>,
) {
    constructor(title: String, x: String, y: String, lines: List<Line>) :
        this(title.lowercase().filter { it.isLetterOrDigit() }, title, x, y, lines)

    /** How large a picture is, in px, and where it names its lines. */
    enum class Shape(val width: Int, val height: Int, val legend: String) {
        WIDE(820, 340, "right"),

        /** For a phone. */
        NARROW(380, 460, "bottom"),
    }

    /** The picture; text stays text. [isForScreens] follows the reader's choice of light or dark, else it is light. */
    fun svg(shape: Shape = Shape.WIDE, isForScreens: Boolean = true): String {
        val plot = drawn(shape)
        val svg = PlotSvgExportCommon.buildSvgImageFromRawSpecs(plot.toSpec(), null, UnsupportedRGBEncoder(), true)
        // The library answers a picture of its own error message.
        check("Error building plot" !in svg) { "plot cannot be drawn: ${svg.takeLast(SHOWN)}" }
        val renamed = rounded(named(svg, "$name-${shape.name.lowercase()}"))
        return if (isForScreens) Ink.onScreens(renamed, shape.width, shape.height) else renamed
    }

    private fun drawn(shape: Shape) = lines.foldIndexed(letsPlot()) { i, plot, line ->
        // Where lines are equal, one sees the first of them under the others.
        val width = THICKEST - (THICKEST - THINNEST) * i / maxOf(1, lines.size - 1)
        val data =
            mapOf(
                x to line.points.map { it.first },
                y to line.points.map { it.second },
                LINE to line.points.map { line.name },
            )
        val drawn =
            plot + geomLine(data, size = width) {
                x = this@LinePlot.x
                y = this@LinePlot.y
                color = LINE
            }
        if (line.points.size > MOST_DOTS) return@foldIndexed drawn
        drawn + geomPoint(data, size = width * 2, showLegend = false) {
            x = this@LinePlot.x
            y = this@LinePlot.y
            color = LINE
        }
    } + scaleXContinuous(breaks = wholeSteps(), format = if (wholeSteps() == null) null else "d") +
        scaleYContinuous(limits = 0 to null) +
        scaleColorManual(values = Ink.LIGHT, limits = lines.map { it.name }) +
        labs(title = title, x = x, y = y, color = "") + ggsize(shape.width, shape.height) + Ink.theme(shape)

    /** Half an attempt is no place on an axis. */
    private fun wholeSteps(): List<Double>? {
        val places = lines.flatMap { line -> line.points.map { it.first } }.distinct().sorted()
        return places.takeIf { it.size <= MOST_STEPS && it.zipWithNext().all { (a, b) -> b - a == 1.0 } }
    }

    /** The library names parts of a picture at random; the same picture shall be the same text, and no two share names. */
    private fun named(svg: String, prefix: String): String {
        val names = ID.findAll(svg).map { it.groupValues[1] }.distinct().toList()
        return names.foldIndexed(svg) { i, text, name -> text.replace(name, "$prefix$i") }
    }

    /** A hundredth of a pixel is enough; what is drawn gets a third as long. Only in tags: text is what it is. */
    private fun rounded(svg: String) = svg.replace(TAG) { tag -> tag.value.replace(LONG_NUMBER, "$1") }

    private companion object {
        val TAG = Regex("<[^>]*>")
        val LONG_NUMBER = Regex("""(\d\.\d\d)\d+""")
        const val LINE = "line"
        const val SHOWN = 400
        const val THICKEST = 2.2
        const val THINNEST = 0.5
        const val MOST_DOTS = 25
        const val MOST_STEPS = 21
        val ID = Regex("""\bid="([^"]+)"""")
    }
}
