package dev.reprise.lab.experiment

import com.github.ajalt.mordant.rendering.Widget
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.tableOf

/** The results of an experiment: the words, the pictures and the figures of its part of a report. */
internal class Section(
    val title: String,
    /** The description of the experiment. */
    val words: String,
    /** The findings, in words above the pictures. */
    val reading: String,
    val plots: List<LinePlot>,
    /** The first column names the policy. */
    val heading: List<String>,
    /** One for each policy. */
    val rows: List<List<String>>,
    /** The columns that distinguish policies: a table over several experiments shows these. */
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
