package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings

/**
 * Prints what the steady rule reaches as lines of `cell,seed,served,throttled,long wait`, or of `step,seed,seconds`, so that two versions
 * of it can be compared; `-Drule=exact` runs the exact rule. Arguments: what to print, the first and the last seed, and a part of the names of the cells to be run.
 */
internal fun main(arguments: Array<String>) {
    val (what, from, to) = arguments
    val seeds = from.toLong()..to.toLong()
    val part = arguments.getOrElse(3) { "" }
    when (what) {
        "cells" -> cells(Figures.cells.filter { part in it.toString() }, seeds)
        "missing" -> cells(Figures.missing.filter { part in it.toString() }, seeds)
        "slow" -> cells(Figures.slow.filter { part in it.toString() }, seeds)
        "outages" -> outages(seeds)
        "steps" -> steps(seeds)
        "starts" -> starts(seeds)
        "shared" -> cells(Figures.shared, seeds)
        else -> error("cells, missing, slow, outages, steps, starts or shared, not $what")
    }
}

internal object Figures {
    private val usual = Matrix.single.filter { it.callers > 1 && it.capacity(0.0) < 5000 }

    /** One client of ten or 200 callers, and answers that take less than a second. */
    val cells: List<Condition> =
        usual.filter { it.latency !== Condition.SLOW } + Matrix.unused +
            Matrix.sleepy.filter { it.capacity(0.0) < 5000 }

    /** The same with answers that take a second. */
    val slow: List<Condition> = usual.filter { it.latency === Condition.SLOW }

    /** Several clients, or a server that changes all the time. */
    val shared: List<Condition> =
        (Matrix.shared + Matrix.late + Matrix.crowded + Matrix.wandering + Matrix.mixed).filter {
            it.capacity(0.0) < 500
        }

    val missing: List<Condition> = Matrix.bunches + Matrix.demand + Matrix.slowed + Matrix.quiet + Matrix.unlimited

    val steps: List<Pair<Int, Int>> = listOf(100 to 50, 100 to 200, 1 to 10, 10 to 1, 100 to 10)
}

private val rule = if (System.getProperty("rule") == "exact") SendRateSettings.EXACT else SendRateSettings.STEADY

private fun cells(conditions: List<Condition>, seeds: LongRange) = conditions.forEach { condition ->
    for (seed in seeds) {
        val run = Fleet(condition, rule, seed).run()
        val figures = listOf(run.success, run.throttledShare, run.longWait).joinToString(",") { "%.4f".format(it) }
        println("${condition.toString().replace(",", ";")},$seed,$figures")
    }
}

private fun outages(seeds: LongRange) {
    for (rate in listOf(10.0, 100.0, 1000.0)) {
        for (answers in listOf(Condition.Answers.BROKEN, Condition.Answers.THROTTLES)) {
            for (seed in seeds) {
                // Each seed ends it at another moment of the limiter's cycle.
                val until = 180 + seed % 6 * 0.5
                val run = Fleet(Matrix.outage(rate, answers, until), rule, seed).run()
                val served = run.served(until, until + 5) / rate
                println("a minute of $answers; C $rate; 5 s after,$seed,%.4f,0,0".format(served))
            }
        }
    }
}

private fun steps(seeds: LongRange) {
    for ((before, after) in Figures.steps) {
        for (server in listOf(ServerKind.BUCKET_10, ServerKind.BUCKET_1, ServerKind.FIXED)) {
            for (seed in seeds) {
                val condition = Matrix.step(before, after, server, seed)
                val seconds = condition.settling(Fleet(condition, rule, seed).run().samples)
                println("$before to $after; ${server.title.replace(",", "")},$seed,%.1f".format(seconds))
            }
        }
    }
}

private fun starts(seeds: LongRange) {
    for (condition in Matrix.starts) {
        for (seed in seeds) {
            val run = Fleet(condition, rule, seed).run()
            val served = run.served(0.0, 10.0) / condition.capacity(0.0)
            println("${condition.toString().replace(",", ";")},$seed,%.4f,%.4f,0".format(served, run.throttledShare))
        }
    }
}
