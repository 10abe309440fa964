package dev.reprise.lab.sim

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.table.table
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonArray
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** `retry-lab simulate outage`. */
class OutageCommand : ExperimentCommand("outage") {
    private val clients by option("--clients", help = "clients of the fleet").int().default(1_000)
    private val calls by option("--calls", help = "calls a second of each client").double().default(1.0)
    private val capacity by option(
        "--capacity",
        help = "requests a second that the server works on",
    ).double().default(1_500.0)
    private val latency by option(
        "--latency",
        help = "seconds that an answer takes besides the queue",
    ).double().default(0.02)
    private val queue by option(
        "--queue",
        help = "requests that the server holds before it answers 503",
    ).int().default(3_000)
    private val from by option("--from", help = "when the outage begins, in seconds").double().default(30.0)
    private val to by option("--to", help = "when it ends").double().default(60.0)
    private val seconds by option("--seconds", help = "when the simulation ends").double().default(180.0)
    private val kind by option("--kind", help = "how the server fails")
        .choice(OutageKind.entries.associateBy { it.word }).default(OutageKind.ERROR)

    override val standard: Map<String, String> =
        mapOf(
            "no retries" to """{"preset":"standard-2.1","maxAttempts":1}""",
            "standard-2.1" to "standard-2.1",
            "without quota" to """{"preset":"standard-2.1","quota":null}""",
            "10 attempts, fixed 100 ms" to
                """{"preset":"standard-2.1","quota":null,"maxAttempts":10,"backoff":{"type":"fixed","delay":"100ms"}}""",
        )

    override fun help(context: Context) =
        "A fleet, and a server that is down for a while: what retries add to its load, and how long it takes to recover."

    override fun run() {
        val results = checked {
            val scenario = OutageScenario(clients, calls, capacity, latency, queue, from, to, kind, seconds)
            named().map { (name, policy) -> simulateOutage(name, policy, scenario, seed) }
        }
        if (json) echo(toJson(results)) else show(results)
    }

    private fun show(results: List<OutageResult>) = terminal.println(
        table {
            align = TextAlign.RIGHT
            header {
                row(
                    "policy",
                    "calls",
                    "attempts per call in the outage",
                    "peak attempts/s",
                    "lost",
                    "unfinished",
                    "recovery s",
                )
            }
            body {
                for (result in results) {
                    row(
                        result.name,
                        result.calls,
                        decimal(result.amplification, 2),
                        result.peak,
                        result.failed,
                        result.unfinished,
                        result.recovery ?: "never",
                    )
                }
            }
        },
    )

    private fun toJson(results: List<OutageResult>) = buildJsonArray {
        for (result in results) {
            addJsonObject {
                put("policy", result.name)
                put("seed", seed)
                put("calls", result.calls)
                put("attempts", result.attempts)
                put("succeeded", result.succeeded)
                put("failed", result.failed)
                put("unfinished", result.unfinished)
                put("amplification", result.amplification)
                put("peakAttempts", result.peak)
                put("recoverySeconds", JsonPrimitive(result.recovery))
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
        }
    }.toString()
}
