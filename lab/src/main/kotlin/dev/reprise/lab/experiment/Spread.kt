package dev.reprise.lab.experiment

import dev.reprise.lab.plot.Line

/** Several runs of one policy as one line: the median at each moment, and around it the band from the least to the most. */
internal object Spread {
    /** The line of [label] over [courses], one of each run: points by moment, where some runs may lack a moment. */
    fun line(label: String, courses: List<List<Pair<Double, Double>>>): Line {
        if (courses.size == 1) return Line(label, courses.single())
        val moments = courses.flatten().groupBy({ it.first }, { it.second }).toSortedMap()
        return Line(
            label,
            moments.map { (at, values) -> at to values.sorted()[values.size / 2] },
            band = moments.map { (at, values) -> Line.Range(at, values.min(), values.max()) },
        )
    }
}
