package dev.reprise.benchmarks

import java.util.Locale
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicIntegerArray
import kotlin.math.min

/*
 * Adaptive mode and its peers against the server of `docs/adaptive.md`, in real time: cell after cell, a minute each.
 */

/** So many requests a second admitted, so many callers that always have work. */
private class Cell(val rate: Int, val callers: Int) {
    val servable: Double get() = min(rate.toDouble(), callers * ANSWERS_PER_CALLER)
}

private val CELLS = listOf(Cell(1, 10), Cell(10, 10), Cell(100, 10), Cell(1000, 200))

private val CONTESTANTS: Map<String, () -> Contestant> =
    mapOf(
        "adaptive-2.1" to { OurContestant("adaptive-2.1") },
        "adaptive-steady" to { OurContestant("adaptive-steady") },
        "AWS SDK for Java" to { AwsContestant() },
        "smithy-kotlin" to { SmithyContestant() },
    )

/** An answer takes 20 ms on average. */
private const val ANSWERS_PER_CALLER = 50.0

private const val WARM_UP_SECONDS = 15
private const val COUNTED_SECONDS = 45

/** What the server throws at those whom it does not admit. */
class Throttled : RuntimeException("throttled", null, false, false) {
    companion object {
        private const val serialVersionUID = 1L
    }
}

/** A token bucket of [rate] requests a second and a tenth of a second's burst. Decides on arrival; answers later. */
class RealServer(private val rate: Int) {
    private val burst = maxOf(1.0, rate / 10.0)
    private var tokens = burst
    private var filledAt = System.nanoTime()

    var admitted = 0
        private set
    var throttled = 0
        private set

    @Synchronized
    fun admits(): Boolean {
        val now = System.nanoTime()
        tokens = min(burst, tokens + (now - filledAt) / 1e9 * rate)
        filledAt = now
        val admits = tokens >= 1
        if (admits) tokens -= 1
        if (admits) admitted++ else throttled++
        return admits
    }

    @Synchronized
    fun countAnew() {
        admitted = 0
        throttled = 0
    }

    /** From 15 to 25 ms. */
    fun latencyMillis(): Long = ThreadLocalRandom.current().nextLong(15, 26)
}

/** Who retries. */
interface Contestant {
    /** Has [callers] ask [server] without end, each telling [onSuccess] its number, until the answer is closed. */
    fun start(callers: Int, server: RealServer, onSuccess: (Int) -> Unit): AutoCloseable
}

/** Prints the table, row by row as the minutes pass. */
fun converge() {
    println(
        "| condition | " + CONTESTANTS.keys.joinToString(" | ") {
            "$it: success | throttled | worst / mean"
        } + " |",
    )
    println("|---|" + "---:|".repeat(3 * CONTESTANTS.size))
    for (cell in CELLS) {
        print("| ${cell.rate}/s, ${cell.callers} callers |")
        for (contestant in CONTESTANTS.values) print(" ${figures(cell, contestant())} |")
        println()
    }
}

private fun figures(cell: Cell, contestant: Contestant): String {
    val server = RealServer(cell.rate)
    val served = AtomicIntegerArray(cell.callers)
    contestant.start(cell.callers, server) { served.incrementAndGet(it) }.use {
        Thread.sleep(WARM_UP_SECONDS * 1000L)
        val before = List(cell.callers, served::get)
        server.countAnew()
        val start = System.nanoTime()
        Thread.sleep(COUNTED_SECONDS * 1000L)
        val seconds = (System.nanoTime() - start) / 1e9
        val counted = before.mapIndexed { caller, count -> served[caller] - count }
        val attempts = maxOf(1, server.admitted + server.throttled)
        val worst = if (counted.sum() == 0) 0.0 else counted.min() / counted.average()
        return "%.2f | %.1f %% | %.2f".format(
            Locale.ROOT,
            counted.sum() / (cell.servable * seconds),
            100.0 * server.throttled / attempts,
            worst,
        )
    }
}
