package dev.reprise.lab.fleet

import org.HdrHistogram.Histogram

/** The counts of one second of a simulation. */
internal class Second(val at: Int) {
    /** Calls that began, and how many of these succeeded, at any time. */
    var calls = 0
    var good = 0

    /** Attempts that reached the server, and those that it refused. */
    var attempts = 0
    var throttled = 0

    /** Calls that ended well, and otherwise. */
    var succeeded = 0
    var failed = 0

    /** How long the calls took that ended well, in ms: half of them at most so long, 99 of 100; NaN for none. */
    var p50 = Double.NaN
    var p99 = Double.NaN
}

/**
 * Counts events. Calls that begin after the last of the [seconds] only keep the server busy, and are not counted; ends
 * after it still are. Sums leave out the calls that began before [countedFrom] (ns).
 */
internal class Tally(seconds: Int, private val countedFrom: Long, clients: Int, operations: Int) {
    constructor(scenario: Scenario) :
        this(scenario.seconds.toInt(), nanosOf(scenario.warmUp), scenario.clients, scenario.operations.size)

    val seconds = List(seconds) { Second(it) }
    private val end = seconds * SECOND

    /** Calls that began, and those that succeeded, by client and by operation. */
    val callsOf = IntArray(clients)
    val goodOf = IntArray(clients)
    val callsOn = IntArray(operations)
    val goodOn = IntArray(operations)

    /** How long calls took that ended well, in µs. */
    val latency = Histogram(DIGITS)

    var calls = 0L
        private set
    var succeeded = 0L
        private set
    var failed = 0L
        private set
    var mostOfCall = 0
        private set

    private val ofSecond = Histogram(DIGITS)
    private var second = 0

    fun called(now: Long, client: Int, operation: Int) {
        if (now >= end) return
        seconds[(now / SECOND).toInt()].calls++
        if (now < countedFrom) return
        calls++
        callsOf[client]++
        callsOn[operation]++
    }

    /** The attempt [number] of a call was sent. */
    fun attempted(now: Long, number: Int, isRefused: Boolean) {
        mostOfCall = maxOf(mostOfCall, number)
        if (now >= end) return
        val second = seconds[(now / SECOND).toInt()]
        second.attempts++
        if (isRefused) second.throttled++
    }

    /** A call ended that began at [begunAt]. */
    fun ended(begunAt: Long, now: Long, client: Int, operation: Int, isGood: Boolean) {
        if (now < end) endedIn((now / SECOND).toInt(), (now - begunAt) / MICRO, isGood)
        if (begunAt >= end) return
        if (isGood) seconds[(begunAt / SECOND).toInt()].good++
        if (begunAt < countedFrom) return
        if (!isGood) {
            failed++
            return
        }
        succeeded++
        goodOf[client]++
        goodOn[operation]++
        latency.recordValue((now - begunAt) / MICRO)
    }

    fun close() = closeSecond(seconds.size)

    private fun endedIn(now: Int, micros: Long, isGood: Boolean) {
        if (now > second) closeSecond(now)
        if (isGood) {
            seconds[now].succeeded++
            ofSecond.recordValue(micros)
        } else {
            seconds[now].failed++
        }
    }

    private fun closeSecond(next: Int) {
        if (ofSecond.totalCount > 0) {
            seconds[second].p50 = ofSecond.getValueAtPercentile(50.0) / MICROS_PER_MILLI
            seconds[second].p99 = ofSecond.getValueAtPercentile(99.0) / MICROS_PER_MILLI
            ofSecond.reset()
        }
        second = next
    }

    private companion object {
        const val SECOND = 1_000_000_000L
        const val MICRO = 1_000L
        const val MICROS_PER_MILLI = 1e3
        const val DIGITS = 3
    }
}
