package dev.reprise.lab.experiment

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.run.Steps
import dev.reprise.lab.sim.ThrottleResult
import dev.reprise.lab.sim.ThrottleScenario
import dev.reprise.lab.sim.simulateThrottle
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** What policies make of a server that throttles. */
internal class ThrottleExperiment(private val scenario: ThrottleScenario) : Experiment<ThrottleResult>() {
    override val name: String get() = "throttle"
    override val standard: Map<String, String> get() = StandardPolicies.THROTTLE
    override val steps: Int get() = scenario.seconds.toInt()

    override fun measure(label: String, policy: RetryPolicy, seed: Long, steps: Steps) =
        simulateThrottle(label, policy, scenario, seed) { steps.done() }

    override fun compare(results: Map<String, ThrottleResult>) = Section(
        title = "A server that throttles",
        words = words(),
        reading =
        contrast(results.mapValues { it.value.throttledShare * 100 }, "sends", "% of its attempts in vain") +
            " That is what lies above the line of what the server admits.",
        plots = listOf(sent(results)),
        heading = listOf("policy", ADMITTED, THROTTLED, FAIRNESS, LOST),
        rows = results.map { (name, it) ->
            listOf(name, decimal(it.throughput), percent(it.throttledShare), decimal(it.fairness, 2), "${it.failed}")
        },
        headline = listOf(ADMITTED, THROTTLED, FAIRNESS),
    )

    private fun words(): String {
        val rates =
            scenario.rates.joinToString(", ") { (at, rate) ->
                if (at == 0.0) "${plain(rate)} requests a second" else "from second ${plain(at)} on ${plain(rate)}"
            }
        return "${scenario.clients} clients that always have work and share nothing. The server admits $rates, and " +
            "throttles the rest. The figures leave out the first ${plain(scenario.warmUp)} s, in which limiters learn."
    }

    private fun sent(results: Map<String, ThrottleResult>): LinePlot {
        val policies =
            results.map { (name, it) ->
                val sent = it.admitted.indices.map { s ->
                    s.toDouble() to (it.admitted[s] + it.throttled[s]).toDouble()
                }
                Line(name, sent)
            }
        val seconds = 0 until scenario.seconds.toInt()
        val server = Line("the server admits", seconds.map { it.toDouble() to scenario.rateAt(it.toDouble()) })
        return LinePlot(name, "Attempts that clients send", "second", "attempts a second", policies + server)
    }

    override fun events(result: ThrottleResult) = result.events

    override fun JsonObjectBuilder.write(result: ThrottleResult) {
        put("admittedPerSecond", result.throughput)
        put("throttledShare", result.throttledShare)
        put("fairness", result.fairness)
        put("failed", result.failed)
        put("events", result.events)
        putJsonArray("admitted") { result.admitted.forEach { add(JsonPrimitive(it)) } }
        putJsonArray("throttled") { result.throttled.forEach { add(JsonPrimitive(it)) } }
    }

    private companion object {
        const val ADMITTED = "admitted/s"
        const val THROTTLED = "throttled"
        const val FAIRNESS = "worst/mean client"
        const val LOST = "calls lost"
    }
}
