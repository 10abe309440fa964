package dev.reprise.virtualtime

import kotlin.math.exp
import kotlin.math.ln
import kotlin.math.min
import kotlin.math.pow

/** How long a server takes to answer, besides queues: [mean] seconds on average. */
public class Latency private constructor(
    public val mean: Double,
    private val name: String,
    private val seconds: (Chance) -> Double,
) {
    /** Draws the latency of one request, in seconds. */
    public fun draw(chance: Chance): Double = seconds(chance)

    override fun toString(): String = name

    public companion object {
        /** The share whose bound [logNormal] takes, as a quantile of the normal distribution. */
        private const val NORMAL_P99 = 2.3263478740408408

        /** Always the same. */
        public fun constant(seconds: Double): Latency = Latency(seconds, "$seconds s") { seconds }

        /** Uniform from [from] to [to]. */
        public fun range(from: Double, to: Double): Latency =
            Latency((from + to) / 2, "$from to $to s") { from + (to - from) * it.uniform() }

        /** Uniform from three quarters to five quarters of [mean]. */
        public fun around(mean: Double): Latency {
            val name = if (mean < 1) "${Math.round(mean * 1000)} ms" else "${Math.round(mean)} s"
            return Latency(mean, name) { mean * (0.75 + 0.5 * it.uniform()) }
        }

        /** Log-normal: half of the answers take less than [median], one of a hundred takes more than [p99]. */
        public fun logNormal(median: Double, p99: Double): Latency {
            val deviation = ln(p99 / median) / NORMAL_P99
            val mean = median * exp(deviation * deviation / 2)
            return Latency(mean, "log-normal") { median * exp(deviation * it.normal()) }
        }

        /**
         * As measured: each of [points] is a share of the answers and the time that such a share does not exceed. Uniform between
         * two points; below the first one all answers take as long as that.
         */
        public fun histogram(points: List<Pair<Double, Double>>): Latency {
            val (share, first) = points.first()
            val mean = share * first +
                points.zipWithNext().sumOf { (low, high) -> (high.first - low.first) * (low.second + high.second) / 2 }
            return Latency(mean, "measured") { measured(points, it.uniform()) }
        }

        private fun measured(points: List<Pair<Double, Double>>, share: Double): Double {
            val above = points.indexOfFirst { it.first >= share }
            val (to, slow) = points[above]
            if (above == 0) return slow
            val (from, fast) = points[above - 1]
            return fast + (slow - fast) * (share - from) / (to - from)
        }

        /** Pareto with [shape] above 1: [least] at least, now and then up to [most]. */
        public fun heavyTailed(least: Double, shape: Double, most: Double): Latency =
            Latency(least * shape / (shape - 1), "heavy tail") {
                min(most, least * (1 - it.uniform()).pow(-1 / shape))
            }
    }
}
