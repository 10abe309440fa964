package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Second
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot

/** The pictures that a scenario file can ask for: something over time, a line for each policy. */
internal class FleetPictures private constructor(
    private val name: String,
    private val title: String,
    private val unit: String,
    private val point: (Map<String, List<Result>>) -> String? = { null },
    private val figure: (Second) -> Number,
) {
    fun plot(scenario: Scenario, results: Map<String, List<Result>>): LinePlot {
        val isNoisy = scenario.server.admission.isNotEmpty()
        val policies = results.map { (label, runs) ->
            val courses = runs.map { run ->
                val points = run.seconds.map { it.at.toDouble() to figure(it).toDouble() }
                if (isNoisy) smooth(points) else points
            }
            Line.over(label, courses)
        }
        return LinePlot(
            name = if (name == "attempts") scenario.name else "${scenario.name}-$name",
            title = point(results) ?: title,
            x = "second",
            y = if (isNoisy) "$unit, mean of $SMOOTH s" else unit,
            lines = policies + listOfNotNull(if (unit.startsWith("attempts")) bounds(scenario) else null),
            about = FleetWords.notable(results),
            caption = title,
        )
    }

    /** The server's capacity, to compare the attempts with. */
    private fun bounds(scenario: Scenario): Line? {
        val rule = scenario.server.admission.firstOrNull()
        val steps = rule?.rate ?: scenario.server.queue?.capacity ?: return null
        val words = if (rule == null) "the server works on" else "the server admits"
        val points = (0 until scenario.seconds.toInt()).map { second ->
            second.toDouble() to steps.last { it.first <= second }.second
        }
        return Line(words, points, isBounds = true)
    }

    /** Means around each moment; none for a moment without a value of its own. */
    private fun smooth(points: List<Pair<Double, Double>>) = points.windowed(SMOOTH) { window ->
        val (at, value) = window[SMOOTH / 2]
        at to if (value.isNaN()) value else window.map { it.second }.filterNot { it.isNaN() }.average()
    }

    companion object {
        /** Seconds over which a line that trembles is a mean. */
        private const val SMOOTH = 5
        private val all = listOf(
            FleetPictures("attempts", "Attempts that reach the server", "attempts a second", FleetWords::attempts) {
                it.attempts
            },
            FleetPictures("ok", "Calls that end well", "calls a second", FleetWords::served) { it.succeeded },
            FleetPictures("p50", "How long half of the good calls take at most", "ms") { it.p50 },
            FleetPictures("p99", "How long 99 of 100 good calls take at most", "ms", FleetWords::slowest) { it.p99 },
            FleetPictures("throttled", "Attempts that the server refuses", "attempts a second") { it.throttled },
        ).associateBy { it.name }

        fun named(name: String): FleetPictures =
            requireNotNull(all[name]) { "picture must be one of ${all.keys.joinToString()}: $name" }
    }
}
