package dev.reprise.core.shell.rate.sim

import dev.reprise.build.DataFile
import dev.reprise.core.SendRateSettings
import dev.reprise.virtualtime.RateCondition
import java.nio.file.Path

/** Writes the tables of adaptive mode into the folder that is named, `docs/figures`, and prints the others. Some minutes. */
internal fun main(arguments: Array<String>) {
    fun table(name: String, rows: List<List<String>>) =
        DataFile(Path.of(arguments.single(), "adaptive-$name.csv")).write(rows)
    table("worst", worst())
    table("conditions", conditions())
    table("outage", outages())
    steps()
    mixed()
}

private const val WORST_ROWS = 12

private val rules = listOf(SendRateSettings.EXACT, SendRateSettings.STEADY)

/** The conditions of one client that it serves worst, and all those of several clients, worst first. */
private fun conditions(): List<List<String>> {
    val exact = listOf("exact", "exact: throttled", "exact: worst client")
    val steady = listOf("steady", "steady: throttled", "steady: worst client", "steady: worst caller")
    return listOf(listOf("table", "condition") + exact + steady) +
        rowsOf("worst of all", Matrix.single).take(WORST_ROWS) +
        rowsOf("clients that share", Matrix.shared) +
        rowsOf("a late joiner", Matrix.late) +
        rowsOf("in the long run", Matrix.crowded + Matrix.lasting) +
        rowsOf("wandering", Matrix.wandering) +
        rowsOf("callers that wake late", Matrix.sleepy)
}

private fun rowsOf(table: String, conditions: List<Condition>): List<List<String>> = conditions
    .map { condition -> condition to rules.map { Fleet(condition, it, 1).run() } }
    .sortedBy { (_, runs) -> runs[1].success }
    .map { (condition, runs) ->
        val cells = runs.flatMap {
            listOf("%.2f".format(it.success), "%.1f %%".format(100 * it.throttledShare), "%.2f".format(it.worstClient))
        }
        listOf(table, "$condition") + cells + "%.2f".format(runs[1].worstCaller)
    }

/** The worst of 10 and 200 callers for each kind of answers, server and rate. */
private fun worst(): List<List<String>> {
    val rates = listOf(0.2, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
    val kinds = mapOf(
        "after 2 or 20 ms" to listOf(Condition.QUICK, RateCondition.USUAL),
        "with a heavy tail" to listOf(Condition.HEAVY),
        "after a second" to listOf(Condition.SLOW),
    )
    val rows = kinds.flatMap { (answers, latencies) ->
        val cells = Matrix.single.filter { it.callers > 1 && it.latency in latencies }
        ServerKind.entries.flatMap { kind ->
            rules.map { settings ->
                listOf(answers, kind.title, "${settings.growth}") + rates.map { rate ->
                    val cell = cells.filter { it.server == kind && it.capacity(0.0) == rate }
                    worstOf(cell.map { Fleet(it, settings, 1).run() })
                }
            }
        }
    }
    return listOf(listOf("answers", "server", "rule") + rates.map { "$it" }) + rows
}

private fun worstOf(runs: List<Fleet>): String {
    val throttled = runs.maxOfOrNull { it.throttledShare } ?: return ""
    return "%.2f (%.1f %%)".format(runs.minOf { it.success }, 100 * throttled)
}

private fun steps() {
    println("\n## Settling, median and slowest of 27 seeds, in s\n")
    println("| step | exact | steady | steady, burst 1 | steady, fixed window |\n|---|---:|---:|---:|---:|")
    for ((before, after) in Matrix.steps) {
        fun of(server: ServerKind, settings: SendRateSettings) =
            Matrix.settling(before, after, server, settings).let { "%.1f, %.1f".format(it[it.size / 2], it.last()) }
        val steady = SendRateSettings.STEADY
        println(
            "| $before/s to $after/s | ${of(ServerKind.BUCKET_10, SendRateSettings.EXACT)} | " +
                "${of(ServerKind.BUCKET_10, steady)} | " +
                "${of(ServerKind.BUCKET_1, steady)} | ${of(ServerKind.FIXED, steady)} |",
        )
    }
}

private fun outages(): List<List<String>> {
    val cases = listOf(10.0, 100.0, 1000.0).flatMap { rate ->
        listOf(Condition.Answers.BROKEN, Condition.Answers.THROTTLES).map { rate to it }
    }
    val rows = cases.flatMap { (rate, answers) ->
        rules.map { settings ->
            val condition = Matrix.outage(rate, answers)
            val run = Fleet(condition, settings, 1).run()
            val meanwhile = run.samples.filter { it.at in 120.5..180.0 }.sumOf { it.sent } / 60.0
            fun after(seconds: Int) = "%.2f".format(run.served(180.0, 180.0 + seconds) / rate)
            listOf("$condition", "${settings.growth}", "%.1f".format(meanwhile), after(5), after(20))
        }
    }
    return listOf(listOf("what", "rule", "attempts/s meanwhile", "served in 5 s after", "in 20 s")) + rows
}

private fun mixed() {
    println("\n## Mixed fleets: what the steady half gets of all\n")
    for (condition in Matrix.mixed) {
        val served = Fleet(condition, SendRateSettings.STEADY, 1).run().byClient
        val steady = served.filterIndexed { i, _ -> i % 2 == 0 }.sum()
        println("| $condition | ${"%.2f".format(steady / served.sum().toDouble())} |")
    }
}
