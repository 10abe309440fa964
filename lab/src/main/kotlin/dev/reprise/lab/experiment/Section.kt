package dev.reprise.lab.experiment

import com.github.ajalt.mordant.rendering.Widget
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.tableOf

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
    /** How well each policy did, where that can be said. */
    val grades: Map<String, Grade> = emptyMap(),
    /** Whether callers wait for the end of a call before they make the next. */
    val isClosedLoop: Boolean = false,
) {
    /** The figures for a terminal. */
    fun table(): Widget = tableOf(heading, rows)
}
