package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import kotlin.math.cbrt
import kotlin.math.min

/**
 * How the rate goes from one cut to the next. Immutable, and renewed only when an answer bends it, which most do not.
 * Rates in attempts a second, times in nanoseconds since the state's origin.
 */
internal sealed interface Curve {
    /** The rate that the last cut fell from. */
    val top: Double

    /** When the last cut was made. */
    val cutAt: Long

    /**
     * The curve after an answer at [now] to a request of [sentAt] that was not throttled, the [admitted]-th of these
     * in all: this very curve, unless the answer bends it. [rate] is the rate in force, [meter] has counted the
     * answer.
     */
    fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve

    /** The rate that this curve asks for from that answer on. */
    fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double

    /** The curve after [throttle]: this very curve, unless the throttle bends it. */
    fun throttled(throttle: Throttle): Curve

    /** The rate that this curve, which has seen [throttle], asks for from then on. */
    fun rate(throttle: Throttle): Double

    /** How many seconds' worth of attempts may be saved up for a burst at the time [now]. */
    fun burstSeconds(now: Long): Double
}

/** The curve of a client that continues from [curve], where the rate is [rate], under the rule of [settings]. */
internal fun goOn(curve: Curve, rate: Double, settings: SendRateSettings): Curve = when (settings.growth) {
    GrowthRule.CUBIC -> CubicCurve(curve.top, curve.cutAt, settings)
    GrowthRule.STEADY -> (curve as? SteadyCurve)?.under(settings) ?: SteadyCurve.from(curve, rate, settings)
}

/** A throttled answer as a curve sees it; times in nanoseconds since the state's origin, rates in attempts a second. */
internal class Throttle(
    val sentAt: Long,
    val now: Long,
    /** Whether the limiter was on before this answer. */
    val enabled: Boolean,
    /** The rate in force. */
    val rate: Double,
    /** How many answers were not throttled, in all. */
    val admitted: Long,
    /** The measured rates, this answer included. */
    val meter: Meter,
    /** Whether permits were left over, so that the rate in force was not used up. */
    val isSpare: Boolean,
)

/** The curve of [GrowthRule.CUBIC]. */
internal class CubicCurve(override val top: Double, override val cutAt: Long, private val settings: SendRateSettings) :
    Curve {
    private val recovery = cbrt(top * (1 - settings.beta) / settings.scale)

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve = this

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double {
        val beyond = secondsOf(now - cutAt) - recovery
        return min(settings.scale * beyond * beyond * beyond + top, limit(meter))
    }

    override fun throttled(throttle: Throttle): Curve {
        val measured = throttle.meter.rate
        return CubicCurve(if (throttle.enabled) min(measured, throttle.rate) else measured, throttle.now, settings)
    }

    override fun rate(throttle: Throttle): Double = min(settings.beta * top, limit(throttle.meter))

    private fun limit(meter: Meter) = Meter.MOST_OVER_MEASURED * meter.rate

    /** The SDKs' bucket holds one second's worth. */
    override fun burstSeconds(now: Long): Double = 1.0
}
