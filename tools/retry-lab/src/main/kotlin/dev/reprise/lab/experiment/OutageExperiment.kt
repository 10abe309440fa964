package dev.reprise.lab.experiment

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.run.Steps
import dev.reprise.lab.sim.OutageKind
import dev.reprise.lab.sim.OutageResult
import dev.reprise.lab.sim.OutageScenario
import dev.reprise.lab.sim.Second
import dev.reprise.lab.sim.simulateOutage
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** What policies add to the load of a server that is down, and how soon it is back. */
internal class OutageExperiment(private val scenario: OutageScenario, override val name: String) :
    Experiment<OutageResult>() {
    override val standard: Map<String, String> get() = StandardPolicies.OUTAGE
    override val steps: Int get() = scenario.seconds.toInt()

    override fun measure(label: String, policy: RetryPolicy, seed: Long, steps: Steps) =
        simulateOutage(label, policy, scenario, seed) { steps.done() }

    override fun compare(results: Map<String, OutageResult>) = Section(
        title =
        when (scenario.kind) {
            OutageKind.ERROR -> "A server that fails for a while"
            OutageKind.STALL -> "A server that stops answering for a while"
        },
        words = words(),
        reading = reading(results),
        plots = listOf(
            plot(results, name, "Attempts that reach the server", "attempts a second") { it.attempts },
            plot(results, "$name-served", "Calls that end well", "calls a second") { it.succeeded },
        ),
        heading = listOf("policy", "calls", PER_CALL, PEAK, LOST, "unfinished", RECOVERY),
        rows = results.map { (name, it) ->
            listOf(
                name,
                "${it.calls}",
                decimal(it.amplification, 2),
                "${it.peak}",
                "${it.failed}",
                "${it.unfinished}",
                "${it.recovery ?: "never"}",
            )
        },
        headline = listOf(PER_CALL, PEAK, LOST, RECOVERY),
    )

    private fun words(): String = scenario.run {
        val failure =
            when (kind) {
                OutageKind.ERROR -> "answers every request with a 500"
                OutageKind.STALL -> "takes every request and answers none"
            }
        val cut = attemptTimeout?.let {
            " A policy without an attempt timeout of its own gets one of ${plain(it)} s."
        }.orEmpty()
        val rate = if (callsPerClient == 1.0) "a call" else "${plain(callsPerClient)} calls"
        val outage = "From second ${plain(outageStart)} to ${plain(outageEnd)} the server $failure"
        val fleet = decimal(clients.toDouble(), 0)
        "$fleet clients make $rate a second each, and share nothing. $outage; before and after " +
            "it works on ${plain(capacity)} requests a second.$cut"
    }

    private fun reading(results: Map<String, OutageResult>): String {
        val amplification = results.mapValues { it.value.amplification }
        val load = contrast(amplification, "makes", "attempts of each call while the server is down")
        val recovered = results.filterValues { it.recovery != null }.mapValues { it.value.recovery!!.toDouble() }
        if (recovered.isEmpty()) return "$load No policy is served as before until the end."
        val never = (results - recovered.keys).keys
        val all = if (never.isEmpty()) "every policy" else "every other policy"
        val after = contrast(recovered, "is served as before", "s after the server is back", digits = 0, all)
        return never.fold(load) { text, name -> "$text “$name” is not served as before until the end." } + " $after"
    }

    private fun plot(
        results: Map<String, OutageResult>,
        file: String,
        title: String,
        unit: String,
        figure: (Second) -> Int,
    ) = LinePlot(
        name = file,
        title = title,
        x = "second",
        y = unit,
        lines = results.map { (name, it) ->
            Line(name, it.seconds.map { s -> s.at.toDouble() to figure(s).toDouble() })
        },
    )

    override fun events(result: OutageResult) = result.events

    override fun JsonObjectBuilder.write(result: OutageResult) {
        put("calls", result.calls)
        put("attempts", result.attempts)
        put("succeeded", result.succeeded)
        put("failed", result.failed)
        put("unfinished", result.unfinished)
        put("amplification", result.amplification)
        put("peakAttempts", result.peak)
        put("recoverySeconds", JsonPrimitive(result.recovery))
        put("events", result.events)
        putJsonArray("seconds") {
            for (second in result.seconds) {
                addJsonObject {
                    put("calls", second.calls)
                    put("attempts", second.attempts)
                    put("succeeded", second.succeeded)
                    put("failed", second.failed)
                }
            }
        }
    }

    private companion object {
        const val PER_CALL = "attempts per call, down"
        const val PEAK = "peak attempts/s"
        const val LOST = "lost"
        const val RECOVERY = "recovery s"
    }
}
