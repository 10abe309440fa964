package dev.reprise.lab.fleet.server

import dev.reprise.lab.fleet.kernel.Chance
import dev.reprise.lab.fleet.kernel.nanosOf
import kotlin.math.exp
import kotlin.math.ln

/** How long an answer takes besides queues. All in seconds. */
internal sealed interface Latency {
    /** One draw, in ns. */
    fun draw(chance: Chance): Long

    /** Always the same. */
    class Constant(seconds: Double) : Latency {
        private val nanos = nanosOf(seconds)

        override fun draw(chance: Chance) = nanos
    }

    /** Anything between [from] and [to], all alike. */
    class Range(private val from: Double, private val to: Double) : Latency {
        override fun draw(chance: Chance) = nanosOf(from + (to - from) * chance.uniform())
    }

    /** Log-normal: half of the answers take less than [median], one of a hundred takes more than [p99]. */
    class LogNormal(private val median: Double, p99: Double) : Latency {
        private val deviation = ln(p99 / median) / NORMAL_P99

        override fun draw(chance: Chance) = nanosOf(median * exp(deviation * chance.normal()))
    }

    /**
     * As measured: each of [points] says which share of the answers takes at most so long. Between two points all is alike,
     * and below the first one all is as fast as that.
     */
    class Histogram(private val points: List<Pair<Double, Double>>) : Latency {
        override fun draw(chance: Chance): Long {
            val share = chance.uniform()
            val above = points.indexOfFirst { it.first >= share }
            val (to, slow) = points[above]
            if (above == 0) return nanosOf(slow)
            val (from, fast) = points[above - 1]
            return nanosOf(fast + (slow - fast) * (share - from) / (to - from))
        }
    }

    private companion object {
        /** What one of a hundred normal draws exceeds. */
        const val NORMAL_P99 = 2.3263478740408408
    }
}
