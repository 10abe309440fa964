package dev.reprise.core.rate

import kotlin.math.max

/** The part of a [SendRateState] that most steps leave as it is. */
internal class Known(
    val settings: SendRateSettings,
    /** What the last answer was recorded under: newer settings hold from the next answer on. */
    val inForce: SendRateSettings,
    /** Whether throttles limit the rate. */
    val enabled: Boolean,
    val ticks: Ticks,
    val meter: Meter,
    val curve: Curve,
    /** How many answers were no evidence of capacity, in all: throttled, or failed where that matters. */
    val refusals: Long,
    /** What the server said about its limit, while that holds. */
    val steer: Steer? = null,
) {
    /** How many tokens the bucket holds at most, at the time [now] and when the curve asks for [rate]. */
    fun capacity(rate: Double, now: Long): Double = max(rate * curve.burstSeconds(now), inForce.minCapacity)

    /** [rate], which throttles have taught, or infinite where none have. */
    fun rateOrNone(rate: Double): Double = if (enabled) rate else Double.POSITIVE_INFINITY

    fun with(enabled: Boolean, meter: Meter, curve: Curve, refusals: Long): Known {
        val isSame = meter === this.meter && curve === this.curve && refusals == this.refusals
        if (isSame && enabled == this.enabled && inForce === settings) return this
        return Known(settings, settings, enabled, ticks, meter, curve, refusals, steer)
    }

    /** Of a limiter that goes off. */
    fun off(): Known = Known(settings, inForce, false, ticks, meter, curve.off(), refusals, steer)

    fun steeredBy(steer: Steer?): Known = Known(settings, inForce, enabled, ticks, meter, curve, refusals, steer)

    fun under(settings: SendRateSettings, rate: Double): Known =
        Known(settings, inForce, enabled, ticks, meter, settings.growth.goOn(curve, rate, settings), refusals, steer)

    fun on(ticks: Ticks): Known = Known(settings, inForce, enabled, ticks, meter, curve, refusals, steer)

    companion object {
        fun nothing(settings: SendRateSettings, ticks: Ticks, now: Long): Known {
            val flat = CubicCurve(top = 0.0, cutAt = now, settings)
            return Known(settings, settings, false, ticks, Meter(), settings.growth.goOn(flat, 0.0, settings), 0)
        }
    }
}
