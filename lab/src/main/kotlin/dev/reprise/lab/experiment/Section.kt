package dev.reprise.lab.experiment

import dev.reprise.lab.plot.LinePlot

/** The results of an experiment: the words, the pictures and the figures of its part of a report. */
internal class Section(
    val title: String,
    val words: String,
    /** The findings, in words above the pictures. */
    val reading: String,
    val plots: List<LinePlot>,
    /** The first column names the policy. */
    val heading: List<String>,
    val rows: List<List<String>>,
    /** The columns that distinguish policies: a table over several experiments shows these. */
    val headline: List<String>,
    val verdicts: Map<String, String> = emptyMap(),
    /** Whether callers wait for the end of a call before they make the next. */
    val isClosedLoop: Boolean = false,
)
