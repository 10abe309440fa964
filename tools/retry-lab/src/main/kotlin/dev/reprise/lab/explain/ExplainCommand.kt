package dev.reprise.lab.explain

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.long
import com.github.ajalt.mordant.rendering.TextAlign
import com.github.ajalt.mordant.table.table
import dev.reprise.core.classify.FailureKind
import dev.reprise.lab.arguments.PolicyArgument
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import java.util.Locale

/** `retry-lab explain POLICY`. */
class ExplainCommand : CliktCommand(name = "explain") {
    private val policy by argument(help = "a preset's name, a policy document, or a file with one")
    private val kind by option("--kind", help = "what every attempt fails with")
        .choice(
            "transient" to FailureKind.TRANSIENT,
            "timeout" to FailureKind.TIMEOUT,
            "throttling" to FailureKind.THROTTLING,
        )
        .default(FailureKind.TRANSIENT)
    private val samples by option("--samples", help = "how many calls are drawn").int().default(20_000)
    private val seed by option("--seed", help = "for exact repetition").long().default(1)
    private val json by option("--json", help = "one JSON object instead of a table").flag()

    override fun help(context: Context) =
        "What a policy does to a call that fails again and again: delays, totals, what it costs the quota."

    override fun run() {
        val explanation = Explanation(PolicyArgument.read(policy), kind, samples, seed)
        if (json) echo(explanation.toJson()) else show(explanation)
    }

    private fun show(explanation: Explanation) {
        echo(explanation.policy.toString())
        echo()
        if (explanation.rows.isEmpty()) echo("It makes no retries.") else terminal.println(tableOf(explanation))
        val unlimited = explanation.policy.maxAttempts == Int.MAX_VALUE
        if (unlimited) echo("Attempts are unlimited; the first ${explanation.rows.size} retries are shown.")
        echo()
        val quota = explanation.policy.quota
        if (quota == null) {
            echo("Retries are free: no quota stops them.")
        } else {
            echo(
                "A call that fails ${explanation.attempts} times takes ${explanation.costOfAll} of the quota's ${quota.capacity} tokens.",
            )
            explanation.drainsFrom?.let {
                echo("The quota runs dry when more than %.1f %% of attempts fail.".format(Locale.ROOT, it * 100))
            }
        }
    }

    private fun tableOf(explanation: Explanation) = table {
        align = TextAlign.RIGHT
        header { row("attempt", "ceiling", "smallest", "mean", "99 %", "largest", "mean sum", "worst sum") }
        body {
            for (row in explanation.rows) {
                row(
                    row.attempt,
                    millis(row.ceiling.toDouble()),
                    millis(row.smallest.toDouble()),
                    millis(row.mean),
                    millis(row.p99.toDouble()),
                    millis(row.largest.toDouble()),
                    millis(row.meanSum),
                    millis(row.worstSum.toDouble()),
                )
            }
        }
    }

    private fun millis(nanos: Double) = "%,.1f ms".format(Locale.ROOT, nanos / 1e6)

    private fun Explanation.toJson() = buildJsonObject {
        put("policy", policy.toString())
        put("kind", kind.word)
        putJsonArray("retries") {
            for (row in rows) {
                addJsonObject {
                    put("attempt", row.attempt)
                    put("ceilingMs", row.ceiling / 1e6)
                    put("smallestMs", row.smallest / 1e6)
                    put("meanMs", row.mean / 1e6)
                    put("p99Ms", row.p99 / 1e6)
                    put("largestMs", row.largest / 1e6)
                    put("meanSumMs", row.meanSum / 1e6)
                    put("worstSumMs", row.worstSum / 1e6)
                }
            }
        }
        put("costOfAll", costOfAll)
        put("drainsFrom", JsonPrimitive(drainsFrom))
    }.toString()
}
