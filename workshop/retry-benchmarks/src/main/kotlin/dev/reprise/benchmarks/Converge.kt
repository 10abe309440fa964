package dev.reprise.benchmarks

import java.util.Locale
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicIntegerArray
import kotlin.math.min

/*
 * Adaptive mode and its peers against the server of `docs/research/adaptive.md`, in real time: cell after cell, a minute each.
 */

/** A server of [rate] requests a second, and [callers] that always have work. */
private class Cell(val rate: Int, val callers: Int, val kind: (Int) -> RateLimit = ::TokenBucket) {
    val servable: Double get() = min(rate.toDouble(), callers * ANSWERS_PER_CALLER)

    override fun toString(): String = "${kind(rate).title}, $rate/s, $callers callers"
}

private val CELLS = listOf(
    Cell(1, 10),
    Cell(10, 10),
    Cell(100, 10),
    Cell(1000, 200),
    Cell(100, 10, ::FixedWindow),
    Cell(1000, 200, ::FixedWindow),
)

private val CONTESTANTS: Map<String, () -> Contestant> =
    mapOf(
        "adaptive-2.1" to { OurContestant("adaptive-2.1") },
        "adaptive-steady" to { OurContestant("adaptive-steady") },
        "AWS SDK for Java" to { AwsContestant() },
        "smithy-kotlin" to { SmithyContestant() },
        "Netflix gradient2" to { NetflixContestant() },
    )

/** An answer takes 20 ms on average. */
private const val ANSWERS_PER_CALLER = 50.0

private const val WARM_UP_SECONDS = 15
private const val COUNTED_SECONDS = 45

/** The server's refusal. */
class Throttled : RuntimeException("throttled", null, false, false) {
    companion object {
        private const val serialVersionUID = 1L
    }
}

/** A server's limit. Not safe for threads. */
interface RateLimit {
    val title: String

    /** Whether the request that arrives at [now] ns is let in. */
    fun admits(now: Long): Boolean
}

/** [rate] requests a second and a tenth of a second's burst. */
class TokenBucket(private val rate: Int) : RateLimit {
    private val burst = maxOf(1.0, rate / 10.0)
    private var tokens = burst
    private var filledAt = System.nanoTime()

    override val title: String get() = "token bucket"

    override fun admits(now: Long): Boolean {
        tokens = min(burst, tokens + (now - filledAt) / 1e9 * rate)
        filledAt = now
        return (tokens >= 1).also { if (it) tokens -= 1 }
    }
}

/** The first [rate] requests of each second. */
class FixedWindow(private val rate: Int) : RateLimit {
    private var second = 0L
    private var used = 0

    override val title: String get() = "fixed window"

    override fun admits(now: Long): Boolean {
        val current = Math.floorDiv(now, 1_000_000_000L)
        if (current != second) used = 0
        second = current
        return (used < rate).also { if (it) used++ }
    }
}

/** Decides on arrival by its [limit], and responds some milliseconds later. */
class RealServer(private val limit: RateLimit) {
    var admitted = 0
        private set
    var throttled = 0
        private set

    @Synchronized
    fun admits(): Boolean {
        val admits = limit.admits(System.nanoTime())
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

/** A client that retries. */
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
        print("| $cell |")
        for (contestant in CONTESTANTS.values) print(" ${figures(cell, contestant())} |")
        println()
    }
}

private fun figures(cell: Cell, contestant: Contestant): String {
    val server = RealServer(cell.kind(cell.rate))
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
