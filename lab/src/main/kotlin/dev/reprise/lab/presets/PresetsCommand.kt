package dev.reprise.lab.presets

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.help
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.mordant.rendering.BorderType
import com.github.ajalt.mordant.table.Borders
import com.github.ajalt.mordant.table.table
import com.github.ajalt.mordant.widgets.Padding
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.ceilingNanos
import dev.reprise.core.shell.values.header
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.sdk.Preset
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import java.math.BigDecimal
import java.math.RoundingMode

internal class PresetsCommand : CliktCommand(name = "presets") {
    private val json by option("--json").flag().help("The policy documents, as one JSON array.")

    override fun help(context: Context) =
        "The policies that have a name: those of the AWS SDKs, today's and earlier, and of textbooks.\n\n" +
            "Each can be the \"preset\" of a policy document."

    override fun run() {
        if (json) echo(JsonArray(Presets.all.flatMap(::documents))) else show()
    }

    private fun show() {
        terminal.println(
            table {
                borderType = BorderType.BLANK
                cellBorders = Borders.NONE
                padding = Padding(top = 0, right = 2, bottom = 0, left = 0)
                header { row("preset", "attempts", "waits", "if throttled", "retry costs", "obeys") }
                body { for (preset in Presets.all) rowsOf(preset).forEach { rowFrom(it) } }
            },
        )
        echo()
        echo("Waits: the longest that the first three can be, in ms. Costs: after a transient failure, a timeout and")
        echo("throttling, in tokens of the quota. A service that is not listed differs at most in what it retries;")
        echo("--json shows all of it.")
        echo()
        val width = Presets.all.maxOf { it.name.length }
        for (preset in Presets.all) echo("${preset.name.padEnd(width)}  ${preset.summary}")
    }

    /** The figures of [preset], and of its services where they differ. */
    private fun rowsOf(preset: Preset): List<List<String>> = policiesOf(preset)
        .groupBy({ (_, policy) -> figures(policy) }, { (service, _) -> service })
        .map { (figures, services) ->
            val name = if (null in services) preset.name else services.joinToString("\n") { "  for $it" }
            listOf(name) + figures
        }

    private fun figures(policy: RetryPolicy): List<String> = listOf(
        if (policy.maxAttempts == Int.MAX_VALUE) "unlimited" else policy.maxAttempts.toString(),
        waits(policy, FailureKind.TRANSIENT),
        waits(policy, FailureKind.THROTTLING),
        policy.quota?.run { "$cost, $timeoutCost, $throttlingCost of $capacity" } ?: "nothing",
        policy.serverDelays.joinToString { it.header.headerName },
    )

    private fun waits(policy: RetryPolicy, kind: FailureKind): String {
        val retries = (0 until minOf(3, policy.maxAttempts - 1))
        return retries.joinToString { millis(policy.backoff.ceilingNanos(it, kind)) }
    }

    /** To a tenth of a ms. */
    private fun millis(nanos: Long): String =
        BigDecimal.valueOf(nanos, 6).setScale(1, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString()

    private fun policiesOf(preset: Preset): List<Pair<String?, RetryPolicy>> =
        (listOf(null) + preset.services.sorted()).map { it to preset.policy(it) }

    private fun documents(preset: Preset): List<JsonObject> = policiesOf(preset).map { (service, policy) ->
        buildJsonObject {
            put("preset", preset.name)
            put("service", service)
            put("summary", preset.summary)
            put("policy", PolicyJson.toElement(policy))
        }
    }
}
