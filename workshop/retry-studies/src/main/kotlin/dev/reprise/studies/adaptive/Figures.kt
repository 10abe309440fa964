package dev.reprise.studies.adaptive

import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.jsonNumber
import dev.reprise.lab.text.percent
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put

/** The figures of one policy under one condition. Shares are parts of one, times in seconds. */
internal sealed class Figures(val condition: String) {
    abstract val cells: List<String>

    abstract fun write(json: JsonObjectBuilder)

    /** Medians over the seeds, of the worst caller and client the least. */
    class Steady(condition: String, runs: List<Convergence>) : Figures(condition) {
        val success = runs.median { it.success }
        val throttled = runs.median { it.throttled }
        val worstCaller = runs.minOf { it.worstCaller }
        val worstClient = runs.minOf { it.worstClient }
        val waits = runs.median { it.waits.toDouble() }.toInt()

        override val cells
            get() = listOf(decimal(success, 2), percent(throttled)) +
                listOf(decimal(worstCaller, 2), decimal(worstClient, 2), "")

        override fun write(json: JsonObjectBuilder) {
            json.put("success", success)
            json.put("throttled", throttled)
            json.put("worstCaller", worstCaller)
            json.put("worstClient", worstClient)
            json.put("waits", waits)
        }
    }

    /** How long it took to follow a change of the server's rate; NaN for never. */
    class Change(condition: String, runs: List<Convergence>) : Figures(condition) {
        val median = runs.median { it.settling }
        val slowest = runs.maxOf { it.settling }

        override val cells get() = listOf("", "", "", "", "${decimalOrNever(median)}, ${decimalOrNever(slowest)}")

        override fun write(json: JsonObjectBuilder) {
            json.put("medianSeconds", jsonNumber(median))
            json.put("slowestSeconds", jsonNumber(slowest))
        }
    }

    companion object {
        val HEADING = listOf("condition", "served", "throttled", "worst caller", "worst client", "settles, slowest s")

        private fun <T> List<T>.median(figure: (T) -> Double): Double = map(figure).sorted()[size / 2]

        private fun decimalOrNever(seconds: Double) = if (seconds.isNaN()) "never" else decimal(seconds)
    }
}
