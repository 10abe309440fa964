package dev.reprise.lab.plot

import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.wrapped
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder
import org.jetbrains.letsPlot.coord.coordCartesian
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon
import org.jetbrains.letsPlot.geom.geomLine
import org.jetbrains.letsPlot.geom.geomPoint
import org.jetbrains.letsPlot.geom.geomRibbon
import org.jetbrains.letsPlot.ggsize
import org.jetbrains.letsPlot.intern.Feature
import org.jetbrains.letsPlot.intern.Plot
import org.jetbrains.letsPlot.intern.toSpec
import org.jetbrains.letsPlot.label.labs
import org.jetbrains.letsPlot.letsPlot
import org.jetbrains.letsPlot.scale.scaleColorManual
import org.jetbrains.letsPlot.scale.scaleFillManual
import org.jetbrains.letsPlot.scale.scaleLinetypeManual
import org.jetbrains.letsPlot.scale.scaleXContinuous
import org.jetbrains.letsPlot.scale.scaleYContinuous

/** Several lines over one axis, as SVG that reads well on a light page and on a dark one. */
internal class LinePlot(
    /** The file's name, without its ending. */
    val name: String,
    val title: String,
    private val x: String,
    private val y: String,
    lines: List<Line>,
    /** The lines that the picture is about; the others are grey. Empty for all. */
    private val about: Set<String> = emptySet(),
    /** A description of the plot; its title states the finding. */
    val caption: String? = null,
) {
    private val lines = lines.sortedBy { it.name in about || it.isBounds }

    /** All numbers of all lines, from the least to the most. */
    private val values = lines.flatMap { line -> line.points.map { it.second } }.filter { it.isFinite() }.sorted()

    /** The colours of each line, on a light page and on a dark one. */
    val inks: Map<String, Pair<String, String>>
        get() = this.lines.zip(colours()).associate { (line, light) -> line.name to (light to Ink.onDark(light)) }

    /** How large a picture is, in px, and where it names its lines. */
    enum class Shape(val width: Int, val height: Int, val legend: String, val titleLength: Int) {
        WIDE(820, 340, "right", 89),

        /** For a phone. */
        NARROW(380, 460, "bottom", 35),
    }

    /** The picture, which follows the reader's choice of light or dark; text stays text. */
    fun svg(shape: Shape = Shape.WIDE): String {
        val plot = drawn(shape)
        val svg = PlotSvgExportCommon.buildSvgImageFromRawSpecs(plot.toSpec(), null, UnsupportedRGBEncoder(), true)
        // The library returns a picture of its own error message.
        check("Error building plot" !in svg) { "plot cannot be drawn: ${svg.takeLast(SHOWN)}" }
        val renamed = rounded(named(svg, "plot-$name-${shape.name.lowercase()}-"))
        return Ink.onScreens(renamed, shape.width, shape.height)
    }

    /** The bands lie under all lines. */
    private fun bands() = lines.filter { it.band.isNotEmpty() && !isMuted(it) }.fold(letsPlot()) { plot, line ->
        val data = mapOf(
            x to line.band.map { it.at },
            LEAST to line.band.map { it.least },
            MOST to line.band.map { it.most },
            LINE to line.band.map { line.name },
        )
        plot + geomRibbon(data, alpha = BAND, size = 0, showLegend = false) {
            x = this@LinePlot.x
            ymin = LEAST
            ymax = MOST
            fill = LINE
        }
    }

    private fun drawn(shape: Shape): Plot {
        val plot = lines.fold(bands()) { plot, line -> plot + drawn(line) }
        val names = lines.map { it.name }
        val steps = wholeSteps()
        return plot + scaleXContinuous(breaks = steps, format = if (steps == null) null else "d") +
            scaleYContinuous(limits = 0 to null) + coordCartesian(ylim = 0 to top()) +
            scaleColorManual(values = colours(), limits = names) +
            scaleFillManual(values = colours(), limits = names) +
            scaleLinetypeManual(values = strokes(), limits = names) +
            // The library cuts off what does not fit.
            titles(shape) +
            ggsize(shape.width, shape.height) + Ink.theme(shape)
    }

    /** A narrow picture is too low for what its axis shows: that stands below the title, in lines. */
    private fun titles(shape: Shape): Feature {
        val below = if (shape == Shape.NARROW) wrapped("Upward: ${unit()}", shape.titleLength) else null
        val y = if (below == null) unit() else ""
        return labs(wrapped(title, shape.titleLength), subtitle = below, x = x, y = y, color = "", linetype = "")
    }

    /** A line without a gap is one stroke; a short one has its points too. */
    private fun drawn(line: Line): Feature {
        val points = line.points.filterNot { it.second.isNaN() }
        val data = mapOf(
            x to points.map { it.first },
            y to points.map { it.second },
            LINE to points.map { line.name },
            STROKE to strokesOf(line.points),
        )
        val stroke = geomLine(data, size = WIDTH) {
            x = this@LinePlot.x
            y = this@LinePlot.y
            color = LINE
            linetype = LINE
            group = STROKE
        }
        val dots = geomPoint(data, size = WIDTH * 2, showLegend = false) {
            x = this@LinePlot.x
            y = this@LinePlot.y
            color = LINE
        }
        return if (line.points.size > MOST_DOTS) stroke else stroke + dots
    }

    /** For each point that is a number, which stroke of the line it is on. */
    private fun strokesOf(points: List<Pair<Double, Double>>): List<Int> {
        var stroke = 0
        return points.mapNotNull { (_, value) ->
            if (value.isNaN()) stroke++
            stroke.takeUnless { value.isNaN() }
        }
    }

    private fun colours(): List<String> {
        var next = 0
        return lines.map {
            when {
                it.isBounds -> Ink.BOUNDS
                isMuted(it) -> Ink.MUTED
                else -> Ink.LIGHT[next++ % Ink.LIGHT.size]
            }
        }
    }

    private fun isMuted(line: Line) = about.isNotEmpty() && line.name !in about

    /** Dashes all but the first of equal lines, so that each shows through; grey ones differ anyway. */
    private fun strokes(): List<Int> {
        var muted = 0
        return lines.mapIndexed { i, line ->
            val isCovered = lines.take(i).any { it.points == line.points }
            when {
                line.isBounds -> DASHED
                isMuted(line) -> 1 + muted++ % MUTED_STROKES
                isCovered -> DASHED
                else -> SOLID
            }
        }
    }

    /** Where the picture ends: one short peak must not press all else to the ground. */
    private fun top(): Double {
        if (values.isEmpty()) return 1.0
        val usual = values[((values.size - 1) * USUAL).toInt()] * ROOM
        return if (values.last() > usual * ROOM && usual > 0) usual else maxOf(values.last() * ROOM_ABOVE, LEAST_TOP)
    }

    private fun unit(): String {
        val most = values.lastOrNull() ?: 0.0
        return if (most > top()) "$y (highest: ${decimal(most, digits = 0)})" else y
    }

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

    /** A hundredth of a pixel is enough and makes the drawing a third as long. Only in tags: text stays. */
    private fun rounded(svg: String) = svg.replace(TAG) { tag -> tag.value.replace(LONG_NUMBER, "$1") }

    private companion object {
        val TAG = Regex("<[^>]*>")
        val LONG_NUMBER = Regex("""(\d\.\d\d)\d+""")

        const val LEAST = "least"
        const val MOST = "most"

        const val BAND = 0.2

        const val LINE = "line"
        const val STROKE = "stroke"
        const val SHOWN = 400
        const val WIDTH = 1.1
        const val SOLID = 1
        const val DASHED = 2
        const val MUTED_STROKES = 5

        /** The part of all values that the axis has room for at least. */
        const val USUAL = 0.98
        const val ROOM = 1.4
        const val ROOM_ABOVE = 1.05
        const val LEAST_TOP = 1e-9
        const val MOST_DOTS = 25
        const val MOST_STEPS = 21
        val ID = Regex("""\bid="([^"]+)"""")
    }
}
