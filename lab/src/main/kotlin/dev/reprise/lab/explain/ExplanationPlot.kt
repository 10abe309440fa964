package dev.reprise.lab.explain

import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot

private const val NANOS_PER_MILLI = 1e6

/** The delay before each attempt: its ceiling, mean and 99th percentile, and what they come to. */
internal fun Explanation.plot(name: String): LinePlot {
    fun line(label: String, nanos: (Explanation.Row) -> Double) =
        Line(label, listOf(1.0 to 0.0) + rows.map { it.attempt.toDouble() to nanos(it) / NANOS_PER_MILLI })
    return LinePlot(
        name = "explain",
        title = "$name: delay before an attempt",
        x = "attempt",
        y = "ms",
        lines = listOf(
            line("ceilings, summed") { it.worstSum.toDouble() },
            line("means, summed") { it.meanSum },
            line("ceiling") { it.ceiling.toDouble() },
            line("99th percentile") { it.p99.toDouble() },
            line("mean") { it.mean },
        ),
    )
}
