package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.sqrt

/** Recovery and probe: how the rate goes from [low] back to [top] after a cut, and on. Ages in seconds since the cut. */
internal class SteadyShape(private val top: Double, private val low: Double, settings: SendRateSettings) {
    private val constants = settings.steady
    private val gentleness = min(1.0, top / constants.gentleBelow)
    private val recovery = constants.recoverySeconds / sqrt(gentleness)
    private val probeScale = settings.scale * gentleness

    /** Whether a throttle is so large a part of all attempts that everything goes more slowly. */
    val isGentle: Boolean get() = gentleness < 1

    fun rateAt(age: Double): Double = if (age < recovery) {
        top - (top - low) * cube(1 - age / recovery)
    } else {
        top * (1 + probeScale * cube(age - recovery))
    }

    /** Whether the recovery is not half over. */
    fun isYoungAt(age: Double): Boolean = age < recovery / 2

    /**
     * Whether a server that accepts a request sent at [age] has accepted more above [top] than a burst would explain. The
     * excess is the integral of the probe.
     */
    fun hasOutgrownAt(age: Double): Boolean {
        val probing = age - recovery
        if (probing <= 0) return false
        val excess = top * probeScale * cube(probing) * probing / 4
        return excess > max(constants.burstAttempts, constants.burstSeconds * top)
    }

    private fun cube(x: Double) = x * x * x
}
