package dev.reprise.lab.plot

/** One line of a plot; [isBounds] marks a line to compare others with, such as a server's capacity. */
internal class Line(
    val name: String,
    /** Moments and values; not a number where there is none, which leaves a gap in the line. */
    val points: List<Pair<Double, Double>>,
    val isBounds: Boolean = false,
    /** The range between the least and the most of several runs; empty for a single run. */
    val band: List<Range> = emptyList(),
) {
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
