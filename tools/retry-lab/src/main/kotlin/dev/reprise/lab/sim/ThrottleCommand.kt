package dev.reprise.lab.sim

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.table.table
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonArray
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** `retry-lab simulate throttle`. */
class ThrottleCommand : ExperimentCommand("throttle") {
    private val clients by option("--clients", help = "clients, each with a limiter of its own").int().default(10)
    private val rate by option("--rate", help = "requests a second that the server admits").double().default(100.0)
    private val change by option("--then", help = "another rate from a moment on: SECOND RATE").double().pair()
    private val seconds by option("--seconds", help = "when the simulation ends").double().default(300.0)
    private val warmUp by option("--warm-up", help = "seconds that are not counted").double().default(60.0)

    override val standard: Map<String, String> =
        listOf("standard-2.1", "adaptive-2.1", "adaptive-steady").associateWith { it }

    override fun help(context: Context) =
        "Clients that always have work, and a server that throttles: throughput, throttled share, fairness."

    override fun run() {
        val results = checked {
            val scenario = ThrottleScenario(clients, listOfNotNull(0.0 to rate, change), seconds, warmUp)
            named().map { (name, policy) -> simulateThrottle(name, policy, scenario, seed) }
        }
        if (json) echo(toJson(results)) else show(results)
    }

    private fun show(results: List<ThrottleResult>) = terminal.println(
        table {
            align = TextAlign.RIGHT
            header { row("policy", "admitted/s", "throttled", "worst/mean client", "calls lost") }
            body {
                for (result in results) {
                    row(
                        result.name,
                        decimal(result.throughput),
                        "${decimal(result.throttledShare * 100)} %",
                        decimal(result.fairness, 2),
                        result.failed,
                    )
                }
            }
        },
    )

    private fun toJson(results: List<ThrottleResult>) = buildJsonArray {
        for (result in results) {
            addJsonObject {
                put("policy", result.name)
                put("seed", seed)
                put("admittedPerSecond", result.throughput)
                put("throttledShare", result.throttledShare)
                put("fairness", result.fairness)
                put("failed", result.failed)
                putJsonArray("admitted") { result.admitted.forEach { add(JsonPrimitive(it)) } }
                putJsonArray("throttled") { result.throttled.forEach { add(JsonPrimitive(it)) } }
            }
        }
    }.toString()
}
