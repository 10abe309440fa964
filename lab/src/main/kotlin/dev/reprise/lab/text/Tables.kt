package dev.reprise.lab.text

import com.github.ajalt.mordant.rendering.BorderType
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.rendering.Whitespace
import com.github.ajalt.mordant.rendering.Widget
import com.github.ajalt.mordant.table.Borders
import com.github.ajalt.mordant.table.SectionBuilder
import com.github.ajalt.mordant.table.table
import com.github.ajalt.mordant.terminal.Terminal

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
        aligned(heading.mapIndexed { i, text -> narrowed(text, rows.flatMap { it[i].lines() }) })
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

/** [heading], no wider than its longest word, or than the [cells] below it. */
private fun narrowed(heading: String, cells: List<String>) =
    wrapped(heading, width = (heading.split(' ') + cells).maxOf { it.length })

/** [text] in lines of at most [width] where a word is not longer than that. */
internal fun wrapped(text: String, width: Int): String = text.split(' ').reduce { lines, word ->
    val isFull = lines.substringAfterLast('\n').length + 1 + word.length > width
    lines + (if (isFull) "\n" else " ") + word
}

/** A name, and figures on the right. */
private fun SectionBuilder.aligned(cells: List<String>) = row {
    cell(cells.first()) { align = TextAlign.LEFT }
    cellsFrom(cells.drop(1))
}
