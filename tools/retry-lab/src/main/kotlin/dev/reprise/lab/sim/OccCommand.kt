package dev.reprise.lab.sim

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.table.table
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonArray
import kotlinx.serialization.json.put

/** `retry-lab simulate occ`. */
class OccCommand : ExperimentCommand("occ") {
    private val clients by option("--clients", help = "how many clients, comma separated").int().split(",")
        .default((10..190 step 20).toList(), defaultForHelp = "10,30,...,190")
    private val runs by option("--runs", help = "runs for each figure").int().default(100)

    override val standard: Map<String, String> = BLOG

    override fun help(context: Context) =
        "Clients that fight over one row: the experiment of the AWS architecture blog. Calls are " +
            "writes that the server saw, times are when the last client was done."

    override fun run() {
        val results = checked { named().mapValues { (_, policy) -> clients.map { Occ(policy, it).runs(runs, seed) } } }
        if (json) echo(toJson(results)) else terminal.println(tableOf(results))
    }

    private fun tableOf(results: Map<String, List<Occ.Summary>>) = table {
        align = TextAlign.RIGHT
        header { rowFrom(listOf("clients") + results.keys.flatMap { listOf("$it calls", "ms") }) }
        body {
            for ((i, count) in clients.withIndex()) {
                rowFrom(
                    listOf(count.toString()) +
                        results.values.flatMap { listOf(decimal(it[i].calls.mean), decimal(it[i].millis.mean, 0)) },
                )
            }
        }
    }

    private fun toJson(results: Map<String, List<Occ.Summary>>) = buildJsonArray {
        for ((name, summaries) in results) {
            for (summary in summaries) {
                addJsonObject {
                    put("policy", name)
                    put("clients", summary.clients)
                    put("runs", runs)
                    put("seed", seed)
                    put("meanCalls", summary.calls.mean)
                    put("sdCalls", summary.calls.deviation)
                    put("meanMs", summary.millis.mean)
                    put("sdMs", summary.millis.deviation)
                }
            }
        }
    }.toString()
}

/** The blog's five: base 5 ms, cap 2 s, the exponent of the first retry 1. */
private val BLOG: Map<String, String> =
    mapOf(
        "none" to """{"backoff":{"type":"fixed","delay":"0ms"}}""",
        "exponential" to blog("none"),
        "decorrelated" to """{"backoff":{"type":"decorrelated","base":"5ms","cap":"2s"}}""",
        "equal" to blog("equal"),
        "full" to blog("full"),
    )

private fun blog(jitter: String) =
    """{"backoff":{"type":"exponential","base":"5ms","cap":"2s","firstExponent":1,"jitter":"$jitter"}}"""
