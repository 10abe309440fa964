package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings
import dev.reprise.virtualtime.Latency
import dev.reprise.virtualtime.RateCondition

/** Prints the tables of `docs/research/adaptive.md`, worst cells first. Some minutes. */
internal fun main(arguments: Array<String>) {
    val rows = arguments.firstOrNull()?.toInt() ?: 12
    byKind("answers after 2 or 20 ms", listOf(Condition.QUICK, RateCondition.USUAL))
    byKind("answers with a heavy tail", listOf(Condition.HEAVY))
    byKind("answers after a second", listOf(Condition.SLOW))
    worst("The worst cells of all", Matrix.single, rows)
    worst("Clients that share", Matrix.shared, Int.MAX_VALUE)
    worst("A late joiner", Matrix.late, Int.MAX_VALUE)
    worst("In the long run", Matrix.crowded + Matrix.lasting, Int.MAX_VALUE)
    worst("Wandering", Matrix.wandering, Int.MAX_VALUE)
    worst("Callers that wake late", Matrix.sleepy, Int.MAX_VALUE)
    steps()
    outages()
    mixed()
}

private val rules = listOf(SendRateSettings.EXACT, SendRateSettings.STEADY)

private fun worst(title: String, conditions: List<Condition>, rows: Int) {
    println("\n## $title\n")
    println("| condition | exact | throttled | worst client | steady | throttled | worst client | worst caller |")
    println("|---|---:|---:|---:|---:|---:|---:|---:|")
    conditions.map { condition -> condition to rules.map { Fleet(condition, it, 1).run() } }
        .sortedBy { (_, runs) -> runs[1].success }
        .take(rows)
        .forEach { (condition, runs) ->
            val cells = runs.joinToString(" | ") {
                "%.2f | %.1f %% | %.2f".format(it.success, 100 * it.throttledShare, it.worstClient)
            }
            println("| $condition | $cells | ${"%.2f".format(runs[1].worstCaller)} |")
        }
}

/** The worst of 10 and 200 callers for each kind of server and rate. */
private fun byKind(title: String, latencies: List<Latency>) {
    val rates = listOf(0.2, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
    println("\n## Ten and 200 callers, $title: the worst\n")
    println("| server | rule | ${rates.joinToString(" | ")} |\n|---|---|${"---:|".repeat(rates.size)}")
    val cells = Matrix.single.filter { it.callers > 1 && it.latency in latencies }
    for (kind in ServerKind.entries) {
        for (settings in rules) {
            val line = rates.joinToString(" | ") { rate ->
                val cell = cells.filter { it.server == kind && it.capacity(0.0) == rate }
                worstOf(cell.map { Fleet(it, settings, 1).run() })
            }
            println("| ${kind.title} | ${settings.growth} | $line |")
        }
    }
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

private fun outages() {
    println("\n## A minute of outage\n")
    println("| what | rule | attempts/s meanwhile | served in 5 s after | in 20 s |\n|---|---|---:|---:|---:|")
    for (rate in listOf(10.0, 100.0, 1000.0)) {
        for (answers in listOf(Condition.Answers.BROKEN, Condition.Answers.THROTTLES)) {
            for (settings in rules) {
                val condition = Matrix.outage(rate, answers)
                val run = Fleet(condition, settings, 1).run()
                val meanwhile = run.samples.filter { it.at in 120.5..180.0 }.sumOf { it.sent } / 60.0
                fun after(seconds: Int) = run.served(180.0, 180.0 + seconds) / rate
                val cells = "%.1f | %.2f | %.2f".format(meanwhile, after(5), after(20))
                println("| $condition | ${settings.growth} | $cells |")
            }
        }
    }
}

private fun mixed() {
    println("\n## Mixed fleets: what the steady half gets of all\n")
    for (condition in Matrix.mixed) {
        val served = Fleet(condition, SendRateSettings.STEADY, 1).run().byClient
        val steady = served.filterIndexed { i, _ -> i % 2 == 0 }.sum()
        println("| $condition | ${"%.2f".format(steady / served.sum().toDouble())} |")
    }
}
