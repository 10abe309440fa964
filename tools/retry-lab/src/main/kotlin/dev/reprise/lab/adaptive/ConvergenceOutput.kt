package dev.reprise.lab.adaptive

import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import java.util.Locale

/** What one policy made of one condition. Shares are parts of one, times in seconds. */
internal sealed class Figures(val condition: String, val policy: String) {
    class Steady(
        condition: String,
        policy: String,
        val success: Double,
        val throttled: Double,
        val worstCaller: Double,
        val worstClient: Double,
        val waits: Int,
    ) : Figures(condition, policy)

    /** How long it took to follow a change of the server's rate; NaN for never. */
    class Change(condition: String, policy: String, val median: Double, val slowest: Double) :
        Figures(condition, policy)
}

/** Figures as Markdown, a row for each condition, and as JSON. */
internal object ConvergenceOutput {
    private val STEADY = listOf("throttled", "worst caller", "worst client", "waits")

    /** The head of a table of [policies]: for a server that stays as it is, or for one that changes. */
    fun head(policies: Collection<String>, isChange: Boolean): List<String> {
        val columns = policies.flatMap { listOf(it) + if (isChange) listOf("slowest") else STEADY }
        return listOf(
            row(if (isChange) "change" else "condition", columns),
            "|---|" + columns.joinToString("") { "---:|" },
        )
    }

    /** The row of one condition: what each policy made of it. */
    fun row(figures: List<Figures>): String = row(figures.first().condition, figures.flatMap { cells(it) })

    private fun cells(figures: Figures) = when (figures) {
        is Figures.Steady -> listOf(
            decimal(figures.success, 2),
            decimal(figures.throttled * 100, 2) + " %",
            decimal(figures.worstCaller, 2),
            decimal(figures.worstClient, 2),
            "${figures.waits}",
        )

        is Figures.Change -> listOf(decimal(figures.median, 1) + " s", decimal(figures.slowest, 1) + " s")
    }

    fun json(all: List<Figures>, isPartial: Boolean): String = buildJsonObject {
        put("experiment", "converge")
        put("partial", isPartial)
        putJsonArray("figures") { all.forEach { addJsonObject { write(it) } } }
    }.toString()

    private fun JsonObjectBuilder.write(figures: Figures) {
        put("condition", figures.condition)
        put("policy", figures.policy)
        when (figures) {
            is Figures.Steady -> {
                put("success", figures.success)
                put("throttled", figures.throttled)
                put("worstCaller", figures.worstCaller)
                put("worstClient", figures.worstClient)
                put("waits", figures.waits)
            }

            is Figures.Change -> {
                put("medianSeconds", figures.median.orNull())
                put("slowestSeconds", figures.slowest.orNull())
            }
        }
    }

    /** JSON knows no NaN. */
    private fun Double.orNull() = JsonPrimitive(takeUnless { it.isNaN() })

    private fun row(first: String, cells: List<String>) = (listOf(first) + cells).joinToString(" | ", "| ", " |")

    private fun decimal(value: Double, digits: Int) = "%.${digits}f".format(Locale.ROOT, value)
}
