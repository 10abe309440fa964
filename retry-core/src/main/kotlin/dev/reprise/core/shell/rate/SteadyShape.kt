package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import kotlin.math.max
import kotlin.math.min
import kotlin.math.sqrt

/**
 * Recovery, hold and probe: how the rate goes from [low] back to [top] after the cut at [cutAt], and on. The throttle that cut came
 * [roundTrip] seconds after its request.
 */
internal class SteadyShape(
    val top: Double,
    val low: Double,
    val cutAt: Long,
    val settings: SendRateSettings,
    private val roundTrip: Double = 0.0,
) {
    private val gentleness = min(1.0, top / GENTLE_BELOW)
    private val recovery = RECOVERY_SECONDS / sqrt(gentleness)
    private val hold = if (roundTrip < SLOW_ANSWER) 0.0 else min(HOLD_ROUND_TRIPS * roundTrip, LONGEST_HOLD)
    private val probeScale = settings.scale * gentleness

    /** Whether there was a cut. */
    val isCut: Boolean get() = top > 0

    /** Whether a throttle is so large a part of all attempts that everything goes more slowly. */
    val isGentle: Boolean get() = gentleness < 1

    fun rateAt(now: Long): Double {
        val age = age(now)
        if (age >= recovery) return top * (1 + probeScale * cube(probing(age)))
        return top - (top - low) * cube(1 - age / recovery)
    }

    /** Whether the recovery is not half over at [now]. */
    fun isYoungAt(now: Long): Boolean = age(now) < recovery / 2

    /**
     * Whether a server that accepts a request of [sentAt] has accepted more above [top] than a burst would explain. The
     * excess is the integral of the probe.
     */
    fun isOutgrownAt(sentAt: Long): Boolean {
        val probing = probing(age(sentAt))
        return probeScale * cube(probing) * probing / 4 > if (isGentle) BURST_SECONDS_IF_GENTLE else BURST_SECONDS
    }

    /** This shape from [top] and [low] on, neither below the least rate. */
    fun with(top: Double, low: Double): SteadyShape =
        SteadyShape(max(top, settings.minFillRate), max(low, settings.minFillRate), cutAt, settings, roundTrip)

    fun later(by: Long) = SteadyShape(top, low, cutAt + by, settings, roundTrip)

    /** This shape under other [settings]. What the round trip has taught of the hold is a measurement, and stays. */
    fun under(settings: SendRateSettings) = SteadyShape(top, low, cutAt, settings, roundTrip)

    private fun age(now: Long) = secondsOf(now - cutAt)

    /** Seconds since the probe began. */
    private fun probing(age: Double) = max(0.0, age - recovery - hold)

    private fun cube(x: Double) = x * x * x
}

/** From a cut until the rate is back at its top. (None: 113 cells of the matrix are worse; linear: 70.) */
private const val RECOVERY_SECONDS = 4.0

/** Below this rate recovery and probe go more slowly. (Without: 40 cells are worse, by up to 0.36.) */
private const val GENTLE_BELOW = 8.7

/**
 * The refusal of a probe is known a round trip later, and all requests sent meanwhile are refused too. So where
 * answers are slow the rate first stays at its top for this many round trips. (Without: a counting window of
 * 10/s with answers after a second serves 0.55 and refuses 32 %; with this 0.69 and 14 %.)
 */
private const val HOLD_ROUND_TRIPS = 20
private const val SLOW_ANSWER = 0.3
private const val LONGEST_HOLD = 20.0

/**
 * This many seconds' worth above the top are more than a usual bucket's burst. (No search from a probe: 1/s to
 * 10/s 90 s. 0.12 for all: 100/s to 200/s in a fixed window 34 s; 0.2 for all: 1/s to 10/s 2 s longer.)
 */
private const val BURST_SECONDS = 0.2
private const val BURST_SECONDS_IF_GENTLE = 0.12
