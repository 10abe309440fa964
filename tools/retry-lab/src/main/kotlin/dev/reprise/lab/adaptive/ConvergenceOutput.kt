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

    fun markdown(all: List<Figures>): List<String> {
        val steady = all.filterIsInstance<Figures.Steady>()
        val changes = all.filterIsInstance<Figures.Change>()
        return table("condition", steady, STEADY) {
            listOf(
                decimal(it.success, 2),
                decimal(it.throttled * 100, 2) + " %",
                decimal(it.worstCaller, 2),
                decimal(it.worstClient, 2),
                "${it.waits}",
            )
        } + table("change", changes, listOf("slowest")) {
            listOf(decimal(it.median, 1) + " s", decimal(it.slowest, 1) + " s")
        }
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

    /** A row for each condition; its first column is [first], and each policy has one of its name and [more] of them. */
    private fun <F : Figures> table(
        first: String,
        all: List<F>,
        more: List<String>,
        cells: (F) -> List<String>,
    ): List<String> {
        if (all.isEmpty()) return emptyList()
        val columns = all.map { it.policy }.distinct().flatMap { listOf(it) + more }
        val rows = all.groupBy { it.condition }.map { (condition, figures) -> row(condition, figures.flatMap(cells)) }
        return listOf(row(first, columns), "|---|" + columns.joinToString("") { "---:|" }) + rows + ""
    }

    private fun row(first: String, cells: List<String>) = (listOf(first) + cells).joinToString(" | ", "| ", " |")

    private fun decimal(value: Double, digits: Int) = "%.${digits}f".format(Locale.ROOT, value)
}
