package dev.reprise.lab.report

/** One part of a report: what was tried, a picture, and the figures. */
internal class Section(
    val title: String,
    val words: String,
    /** The picture's file name without its ending, and the picture as SVG. */
    val plots: Map<String, String>,
    val heading: List<String>,
    val rows: List<List<String>>,
)
