package dev.reprise.core.rate.sim

import dev.reprise.core.rate.SendRateSettings
import java.util.SplittableRandom
import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow
import kotlin.math.roundToInt

/**
 * A server, and the callers that always have work for it, or think for [think] seconds on average between two calls.
 * Each of [clients] has a limiter of its own and so many [callers]. Rates in requests a second, times in seconds.
 */
internal class Condition(
    val server: ServerKind,
    val callers: Int,
    val clients: Int = 1,
    val latency: Latency = Latency.USUAL,
    val think: Double = 0.0,
    val seconds: Double = 300.0,
    val countedFrom: Double = 60.0,
    /** When a client starts. */
    val startsAt: (client: Int) -> Double = { 0.0 },
    /** What the limiter of a client is told instead of the fleet's settings; plain standard mode has none. */
    val other: (client: Int) -> Other = { Other.NONE },
    val answers: (seconds: Double) -> Answers = { Answers.USUAL },
    val stepAt: Double? = null,
    /** How many seconds late a caller that waits for a permit may wake. */
    val late: Double = 0.0,
    val name: String = "",
    val capacity: (seconds: Double) -> Double,
) {
    constructor(server: ServerKind, capacity: Double, callers: Int, clients: Int = 1) :
        this(server, callers, clients, capacity = { capacity })

    /** What can be served while it counts: the smaller of what the server admits and what the callers can ask for. */
    val servable: Double by lazy {
        val most = callers * clients / (latency.mean + think)
        val steps = ((seconds - countedFrom) / STEP).toInt()
        (0 until steps).sumOf { min(admitted(capacity(countedFrom + it * STEP)), most) * STEP }
    }

    private fun admitted(capacity: Double) = if (server == ServerKind.CONCURRENCY) {
        max(1, (capacity * latency.mean).roundToInt()) / latency.mean
    } else {
        capacity
    }

    /** A client that does not run under the settings in question. */
    enum class Other(val settings: SendRateSettings?) {
        NONE(null),
        EXACT(SendRateSettings.EXACT),
        UNLIMITED(null),
    }

    /** What the server does at a time. */
    enum class Answers { USUAL, BROKEN, THROTTLES }

    override fun toString(): String = name.ifEmpty {
        val rate = capacity(seconds)
        val awake = if (late > 0) ", awake up to ${(late * 1000).roundToInt()} ms late" else ""
        "${server.title}, C ${if (rate < 1) rate else rate.toInt()}, $clients x $callers callers, ${latency.name}$awake"
    }

    private companion object {
        const val STEP = 0.01
    }
}

/** How long a server takes to answer, in seconds. */
internal class Latency(val name: String, val mean: Double, val draw: (SplittableRandom) -> Double) {
    companion object {
        /** From three quarters to five quarters of [mean]. */
        private fun around(name: String, mean: Double) = Latency(name, mean) { mean * (0.75 + 0.5 * it.nextDouble()) }

        val USUAL = around("20 ms", 0.02)
        val QUICK = around("2 ms", 0.002)
        val SLOW = around("1 s", 1.0)

        /** Pareto with shape 1.5: 20 ms at least, 60 ms on average, and now and then seconds. */
        val HEAVY = Latency("heavy tail", 0.06) { min(10.0, 0.02 * (1 - it.nextDouble()).pow(-1 / 1.5)) }
    }
}
