package dev.reprise.lab.adaptive

import dev.reprise.lab.sim.World
import kotlin.math.min
import kotlin.math.pow

/**
 * A server, and the callers that want something of it. Rates in requests a second, times in seconds.
 *
 * The server is a token bucket that admits [capacity] with a burst of a tenth of a second's worth (one request at
 * least) and throttles the rest; it decides on arrival and answers after [latency]. Callers always have work unless they [think]
 * between two calls. They belong in equal parts to [clients], each with a limiter of its own.
 */
internal class Condition(
    val name: String,
    val callers: Int,
    val clients: Int = 1,
    val latency: Latency = Latency.USUAL,
    val think: Double = 0.0,
    val seconds: Double = 600.0,
    val countedFrom: Double = 120.0,
    /** When the server's rate changes for good; settling is timed from here. */
    val stepAt: Double? = null,
    val capacity: (seconds: Double) -> Double,
) {
    /** What can be served while it counts: the smaller of what the server admits and what the callers can ask for. */
    val servable: Double by lazy {
        val most = callers / (latency.mean + think)
        val steps = ((seconds - countedFrom) / STEP).toInt()
        (0 until steps).sumOf { min(capacity(countedFrom + it * STEP), most) * STEP }
    }

    override fun toString(): String = name

    private companion object {
        const val STEP = 0.01
    }
}

/** How long a server takes to answer, in seconds. */
internal class Latency(val mean: Double, val draw: (World) -> Double) {
    companion object {
        /** 15 to 25 ms. */
        val USUAL = around(0.02)

        /** From three quarters to five quarters of [mean]. */
        fun around(mean: Double) = Latency(mean) { mean * (0.75 + 0.5 * it.uniform()) }

        /** Pareto: [least] at least, on average [least] times [shape] by [shape] less 1, and now and then up to [most]. */
        fun heavyTailed(least: Double, shape: Double, most: Double) =
            Latency(least * shape / (shape - 1)) { min(most, least * (1 - it.uniform()).pow(-1 / shape)) }
    }
}
