package dev.reprise.virtualtime

import kotlin.math.abs
import kotlin.math.max
import kotlin.math.min

/**
 * A server that admits [capacity] requests a second, and [callers] in all that always have work, unless they [think] between
 * two calls. They belong in equal parts to [clients], each with a limiter of its own. Times in seconds.
 */
public open class RateCondition(
    private val name: String,
    public val callers: Int,
    public val clients: Int = 1,
    public val latency: Latency = USUAL,
    public val think: Double = 0.0,
    public val seconds: Double = 600.0,
    public val countedFrom: Double = 120.0,
    /** When the server's rate changes for good; settling is timed from here. */
    public val stepAt: Double? = null,
    public val capacity: (seconds: Double) -> Double,
) {
    /** The limiters' rate and the fleet's attempts, in the half second that ends [at]. */
    public open class Sample(
        public val at: Double,
        /** The permitted rate of all clients. */
        public val permitted: Double,
        /** The attempts sent. */
        public val sent: Int,
        /** The attempts that were served. */
        public val served: Int,
    )

    /** The calls that can be served while it counts: the smaller of the server's capacity and the callers' demand. */
    public val servable: Double by lazy {
        val most = callers / (latency.mean + think)
        val steps = ((seconds - countedFrom) / STEP).toInt()
        (0 until steps).sumOf { min(admitted(capacity(countedFrom + it * STEP)), most) * STEP }
    }

    /** The requests that the server admits a second when its rate is [capacity]. */
    protected open fun admitted(capacity: Double): Double = capacity

    /**
     * Seconds from [stepAt] until the attempts of five seconds, and those that were served, are within a tenth of the new
     * capacity, or within one attempt, and stay there for ten seconds; NaN for never. [samples] are those of the whole run.
     */
    public fun settling(samples: List<Sample>): Double {
        val from = stepAt ?: return Double.NaN
        val target = capacity(seconds) * WINDOW
        val tolerance = max(1.0, TOLERANCE * target)
        var settledAt = Double.NaN
        for (window in samples.filter { it.at > from - WINDOW }.windowed(SAMPLES_OF_WINDOW)) {
            val now = window.last().at
            if (now - settledAt >= STAYS) break
            val isWithin = listOf(window.sumOf { it.sent }, window.sumOf { it.served }).all {
                abs(it - target) <=
                    tolerance
            }
            if (!isWithin || now <= from) {
                settledAt = Double.NaN
            } else if (settledAt.isNaN()) {
                settledAt = now
            }
        }
        return if (samples.last().at - settledAt >= STAYS) settledAt - from else Double.NaN
    }

    override fun toString(): String = name

    public companion object {
        /** From 15 to 25 ms. */
        public val USUAL: Latency = Latency.around(0.02)

        private const val STEP = 0.01
        private const val TOLERANCE = 0.1
        private const val WINDOW = 5.0
        private const val SAMPLES_OF_WINDOW = 10
        private const val STAYS = 10.0
    }
}
