package dev.reprise.lab.explain

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.long
import dev.reprise.core.FailureKind
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.input.checked
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.percent
import dev.reprise.lab.text.plain
import dev.reprise.lab.text.tableOf
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement

internal class ExplainCommand : CliktCommand(name = "explain") {
    private val policy by argument(help = "a preset's name, a policy document, or a file with one")
    private val kind by option("--kind", help = "what every attempt fails with")
        .choice(
            "transient" to FailureKind.TRANSIENT,
            "timeout" to FailureKind.TIMEOUT,
            "throttling" to FailureKind.THROTTLING,
        )
        .default(FailureKind.TRANSIENT)
    private val samples by option("--samples", help = "how many calls are drawn").int().default(20_000)
    private val seed by option("--seed", help = "the same seed repeats a run exactly").long().default(1)

    override fun help(context: Context) =
        "What a policy does to a call that fails again and again: delays, totals, what it costs the quota."

    override fun run() = show(checked { Explanation(PolicyArgument.read(policy), kind, samples, seed) })

    private fun show(explanation: Explanation) {
        if (explanation.rows.isEmpty()) {
            echo("It makes no retries.")
        } else {
            echo("What a call waits before each attempt, in ms")
            terminal.println(tableOf(explanation))
        }
        echo()
        if (explanation.policy.maxAttempts > explanation.attempts) {
            echo("These are the first ${explanation.rows.size} retries of ${mostAttempts(explanation)}.")
        }
        echo(
            "A call that makes them all waits ${briefText(explanation.meanSum.toLong())} on average, and " +
                "${briefText(explanation.worstSum)} at most.",
        )
        val deadline = explanation.policy.deadlineNanos
        if (deadline != UNLIMITED_NANOS) echo("The deadline ends a call after ${briefText(deadline)}.")
        val quota = explanation.policy.quota
        if (quota == null) {
            echo("Retries are free: no quota stops them.")
        } else {
            val most = if (quota.capacity == Int.MAX_VALUE) "" else "${quota.capacity} "
            echo("It takes ${explanation.costOfAll} of the quota's ${most}tokens.")
            showCapacities(quota)
            explanation.drainsFrom?.let { echo("The quota runs dry when more than ${percent(it)} of attempts fail.") }
        }
        for (warning in explanation.policy.warnings) echo("Warning: $warning.")
        echo()
        echo(document(explanation.policy))
    }

    private fun showCapacities(quota: QuotaSettings) {
        val capacities = Capacity.of(quota).ifEmpty { return }
        echo("How many of them a full quota has depends on the client:")
        val rows = capacities.map {
            listOf(plain(it.callsPerSecond), "${it.tokens}", "${it.tokens / quota.cost}", "${it.ofOperation}")
        }
        terminal.println(tableOf(listOf("calls/s", "tokens", "retries", "of one operation"), rows))
    }

    /** The policy as a document; as text if it contains a function. */
    private fun document(policy: RetryPolicy) = try {
        PRETTY.encodeToString(JsonElement.serializer(), PolicyJson.toElement(policy))
    } catch (_: PolicyFormatException) {
        policy.toString()
    }

    private fun mostAttempts(explanation: Explanation): String {
        val most = explanation.policy.maxAttempts
        return if (most == Int.MAX_VALUE) "attempts without limit" else "at most ${most - 1}"
    }

    private fun tableOf(explanation: Explanation) = tableOf(
        listOf("attempt", "ceiling", "least", "mean", "99 %", "most", "mean sum", "worst sum"),
        explanation.rows.map { row ->
            // In ms, as the line above the table says: so it is narrow enough for 80 columns.
            val waits = listOf(row.ceiling, row.smallest, row.mean, row.p99, row.largest, row.meanSum, row.worstSum)
            listOf("${row.attempt}") + waits.map { decimal(it.toDouble() / NANOS_PER_MILLI) }
        },
    )

    private companion object {
        const val NANOS_PER_MILLI = 1e6
        val PRETTY = Json { prettyPrint = true }
    }
}
