package dev.reprise.lab.experiment

import com.github.ajalt.mordant.rendering.BorderType
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.rendering.Whitespace
import com.github.ajalt.mordant.rendering.Widget
import com.github.ajalt.mordant.table.Borders
import com.github.ajalt.mordant.table.SectionBuilder
import com.github.ajalt.mordant.table.table
import com.github.ajalt.mordant.terminal.Terminal
import dev.reprise.lab.plot.LinePlot
import java.util.Locale

/** What came of an experiment: the words, the pictures and the figures of its part of a report. */
internal class Section(
    val title: String,
    /** What was tried. */
    val words: String,
    /** What came of it, in words that stand above the pictures. */
    val reading: String,
    val plots: List<LinePlot>,
    /** The first column names the policy. */
    val heading: List<String>,
    /** One for each policy. */
    val rows: List<List<String>>,
    /** The columns that tell policies apart: those that a table over several experiments shows. */
    val headline: List<String>,
    /** How each policy did, in one line. */
    val verdicts: Map<String, String> = emptyMap(),
) {
    /** The figures for a terminal. */
    fun table(): Widget = tableOf(heading, rows)
}

/** Its headings go over several lines, so that it is narrow; but a terminal that is narrower yet cuts no figure. */
internal fun tableOf(heading: List<String>, rows: List<List<String>>): Widget = Uncut(table(heading, rows))

private fun table(heading: List<String>, rows: List<List<String>>) = table {
    align = TextAlign.RIGHT
    borderType = BorderType.SQUARE
    cellBorders = Borders.LEFT_RIGHT
    tableBorders = Borders.ALL
    // Lines are broken here: with widths that are set, the library is off by one now and then.
    header {
        cellBorders = Borders.ALL
        whitespace = Whitespace.PRE
        aligned(heading.mapIndexed { i, text -> broken(text, rows.flatMap { it[i].lines() }) })
    }
    body {
        whitespace = Whitespace.PRE
        rows.forEach { aligned(it) }
    }
}

private class Uncut(private val table: Widget) : Widget {
    override fun measure(t: Terminal, width: Int) = table.measure(t, ANY_WIDTH)

    override fun render(t: Terminal, width: Int) = table.render(t, ANY_WIDTH)
}

private const val ANY_WIDTH = 1_000

/** [heading] over so many lines that it is no wider than its longest word, or than the [cells] below it. */
private fun broken(heading: String, cells: List<String>): String {
    val words = heading.split(' ')
    val width = (words + cells).maxOf { it.length }
    return words.drop(1).fold(words.first()) { text, word ->
        val isFull = text.substringAfterLast('\n').length + 1 + word.length > width
        text + (if (isFull) "\n" else " ") + word
    }
}

/** A name, and figures on the right. */
private fun SectionBuilder.aligned(cells: List<String>) = row {
    cell(cells.first()) { align = TextAlign.LEFT }
    cellsFrom(cells.drop(1))
}

internal fun decimal(value: Double, digits: Int = 1): String = "%,.${digits}f".format(Locale.ROOT, value)

internal fun percent(share: Double): String = "${decimal(share * 100)} %"

/** [value] without the decimals that say nothing: 30, and 0.4. */
internal fun plain(value: Double): String = if (value % 1 == 0.0) decimal(value, 0) else value.toString()

/** Who has the most and who the least, in one sentence: its subject, [doing], the figure, [what]. */
internal fun contrast(
    values: Map<String, Double>,
    doing: String,
    what: String,
    digits: Int = 1,
    all: String = "every policy",
): String {
    val most = values.maxBy { it.value }
    val least = values.minBy { it.value }
    val (more, less) = decimal(most.value, digits) to decimal(least.value, digits)
    val subject = if (values.size > 1 && more == less) all else "“${most.key}”"
    val other = if (more == less) "" else ", “${least.key}” $less"
    return "$subject $doing $more $what$other.".replaceFirstChar { it.uppercase() }
}
