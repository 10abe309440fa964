package dev.reprise.lab.plot

import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder
import org.jetbrains.letsPlot.coord.coordCartesian
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon
import org.jetbrains.letsPlot.geom.geomLine
import org.jetbrains.letsPlot.geom.geomPoint
import org.jetbrains.letsPlot.geom.geomRibbon
import org.jetbrains.letsPlot.ggsize
import org.jetbrains.letsPlot.intern.toSpec
import org.jetbrains.letsPlot.label.labs
import org.jetbrains.letsPlot.letsPlot
import org.jetbrains.letsPlot.scale.scaleColorManual
import org.jetbrains.letsPlot.scale.scaleFillManual
import org.jetbrains.letsPlot.scale.scaleLinetypeManual
import org.jetbrains.letsPlot.scale.scaleXContinuous
import org.jetbrains.letsPlot.scale.scaleYContinuous
import java.util.Locale

/** One line of a plot; [isBounds] marks a line to compare others with, such as a server's capacity. */
internal class Line(
    val name: String,
    /** Moments and values; not a number where there is none, which leaves a gap in the line. */
    val points: List<Pair<Double, Double>>,
    val isBounds: Boolean = false,
    /** The range between the least and the most of several runs; empty for a single run. */
    val band: List<Range> = emptyList(),
) {
    /** The least and the most at [at]. */
    class Range(val at: Double, val least: Double, val most: Double)

    companion object {
        /**
         * Several runs as one line: the median at each moment, and around it the band from the least to the most. Each of [courses]
         * is the points of a run by moment; some runs may lack a moment.
         */
        fun over(name: String, courses: List<List<Pair<Double, Double>>>): Line {
            if (courses.size == 1) return Line(name, courses.single())
            val moments = courses.flatten().groupBy({ it.first }, { it.second }).toSortedMap()
                .mapValues { (_, values) -> values.filterNot { it.isNaN() }.sorted() }
            return Line(
                name,
                moments.map { (at, values) -> at to (values.getOrNull(values.size / 2) ?: Double.NaN) },
                band = moments.filterValues { it.isNotEmpty() }.map { (at, values) ->
                    Range(at, values.first(), values.last())
                },
            )
        }
    }
}

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

    /** How large a picture is, in px, and where it names its lines. */
    enum class Shape(val width: Int, val height: Int, val legend: String, val titleLength: Int) {
        WIDE(820, 340, "right", 90),

        /** For a phone. */
        NARROW(380, 460, "bottom", 36),
    }

    /** The picture; text stays text. [isForScreens] follows the reader's choice of light or dark, else it is light. */
    fun svg(shape: Shape = Shape.WIDE, isForScreens: Boolean = true): String {
        val plot = drawn(shape)
        val svg = PlotSvgExportCommon.buildSvgImageFromRawSpecs(plot.toSpec(), null, UnsupportedRGBEncoder(), true)
        // The library returns a picture of its own error message.
        check("Error building plot" !in svg) { "plot cannot be drawn: ${svg.takeLast(SHOWN)}" }
        val renamed = rounded(named(svg, "plot-$name-${shape.name.lowercase()}-"))
        return if (isForScreens) Ink.onScreens(renamed, shape.width, shape.height) else renamed
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

    private fun drawn(shape: Shape) = lines.fold(bands()) { plot, line ->
        val points = line.points.filterNot { it.second.isNaN() }
        val data =
            mapOf(
                x to points.map { it.first },
                y to points.map { it.second },
                LINE to points.map { line.name },
                // Points without a gap are one stroke.
                STROKE to strokesOf(line.points),
            )
        val drawn =
            plot + geomLine(data, size = WIDTH) {
                x = this@LinePlot.x
                y = this@LinePlot.y
                color = LINE
                linetype = LINE
                group = STROKE
            }
        if (line.points.size > MOST_DOTS) return@fold drawn
        drawn + geomPoint(data, size = WIDTH * 2, showLegend = false) {
            x = this@LinePlot.x
            y = this@LinePlot.y
            color = LINE
        }
    } + scaleXContinuous(breaks = wholeSteps(), format = if (wholeSteps() == null) null else "d") +
        scaleYContinuous(limits = 0 to null) + coordCartesian(ylim = 0 to top()) +
        scaleColorManual(values = colours(), limits = lines.map { it.name }) +
        scaleFillManual(values = colours(), limits = lines.map { it.name }) +
        scaleLinetypeManual(values = strokes(), limits = lines.map { it.name }) +
        labs(
            title = titleFor(shape),
            x = x,
            y = unit(),
            color = "",
            linetype = "",
        ) + ggsize(shape.width, shape.height) +
        Ink.theme(shape)

    /** For each point that is a number, which stroke of the line it is on. */
    private fun strokesOf(points: List<Pair<Double, Double>>): List<Int> {
        var stroke = 0
        return points.mapNotNull { (_, value) ->
            if (value.isNaN()) stroke++
            stroke.takeUnless { value.isNaN() }
        }
    }

    /** The library cuts off what does not fit. */
    private fun titleFor(shape: Shape): String {
        val line = StringBuilder()
        return title.split(' ').fold(StringBuilder()) { text, word ->
            val isFull = line.length + word.length >= shape.titleLength
            if (isFull) line.clear()
            line.append(word).append(' ')
            text.append(
                if (text.isEmpty()) {
                    ""
                } else if (isFull) {
                    "\n"
                } else {
                    " "
                },
            ).append(word)
        }.toString()
    }

    private fun colours(): List<String> {
        var next = 0
        return lines.map {
            if (it.isBounds) {
                Ink.BOUNDS
            } else if (isMuted(it)) {
                Ink.MUTED
            } else {
                Ink.LIGHT[next++ % Ink.LIGHT.size]
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
                isMuted(line) -> MUTED_STROKES[muted++ % MUTED_STROKES.size]
                isCovered -> DASHED
                else -> SOLID
            }
        }
    }

    /** Where the picture ends: one short peak must not press all else to the ground. */
    private fun top(): Double {
        val values = lines.flatMap { line -> line.points.map { it.second } }.filter { it.isFinite() }.sorted()
        val most = values.lastOrNull() ?: return 1.0
        val usual = values[((values.size - 1) * USUAL).toInt()] * ROOM
        return if (most > usual * ROOM && usual > 0) usual else maxOf(most * ROOM_ABOVE, LEAST_TOP)
    }

    private fun unit(): String {
        val most = lines.flatMap { line -> line.points.map { it.second } }.filter { it.isFinite() }.maxOrNull() ?: 0.0
        return if (most > top()) "$y (highest: ${"%,.0f".format(Locale.ROOT, most)})" else y
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

        /** Names of columns that hold a band. */
        const val LEAST = "least"
        const val MOST = "most"

        /** The opacity of a band. */
        const val BAND = 0.2

        const val LINE = "line"
        const val STROKE = "stroke"
        const val SHOWN = 400
        const val WIDTH = 1.1
        const val SOLID = 1
        const val DASHED = 2
        val MUTED_STROKES = listOf(1, 2, 3, 4, 5)

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
