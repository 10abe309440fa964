package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import kotlin.math.max

/** The part of a [SendRateState] that changes with a throttle, a hint or a measuring bucket, and not with every attempt. */
internal data class Limiter(
    val settings: SendRateSettings,
    val ticks: Ticks,
    val curve: Curve,
    /** The settings under which the last answer was recorded: newer ones hold from the next answer on. */
    val inForce: SendRateSettings = settings,
    /** Whether throttles limit the rate. */
    val enabled: Boolean = false,
    val meter: Meter = Meter(),
    /** The answers that were no evidence of capacity, in all: throttled, or failed where that matters. */
    val refusals: Long = 0,
    /** The limit that the server announced, while it holds. */
    val announced: ServerLimit? = null,
) {
    /** The curve, if it is a [GrowthRule.STEADY] one. */
    val steady: SteadyCurve? get() = curve as? SteadyCurve

    /** How many seconds' worth of permits the bucket keeps beyond its capacity while a caller waits. */
    val lateSeconds: Double get() = if (steady == null) 0.0 else SteadyCurve.LATE_SECONDS

    /** When the limiter, or the announced limit, is over if nothing else happens. */
    val endsAt: Long get() = minOf(steady?.quietAt ?: UNLIMITED_NANOS, announced?.until ?: UNLIMITED_NANOS)

    /** The most tokens that the bucket holds at the time [now] while the curve asks for [rate]. */
    fun capacity(rate: Double, now: Long): Double = max(rate * curve.burstSeconds(now), inForce.minCapacity)

    /** The rate at [now] where throttles have taught [learnt]. */
    fun rate(learnt: Double, now: Long): Double = when {
        announced == null || now >= announced.until -> learnt
        enabled -> announced.over(learnt)
        else -> announced.rate
    }

    /** This limiter after an answer. */
    fun after(enabled: Boolean, meter: Meter, curve: Curve, refusals: Long): Limiter {
        val isSame = meter === this.meter && curve === this.curve && refusals == this.refusals
        if (isSame && enabled == this.enabled && inForce === settings) return this
        return copy(inForce = settings, enabled = enabled, meter = meter, curve = curve, refusals = refusals)
    }

    /** This limiter when what ends at [now] is over. */
    fun over(now: Long): Limiter {
        val steady = steady
        if (steady == null || now < steady.quietAt) return copy(announced = null)
        return copy(enabled = false, curve = steady.off())
    }

    /** This limiter under other [settings] from the next answer on, where the rate is [rate]. An announcement that they ignore ends. */
    fun under(settings: SendRateSettings, rate: Double): Limiter = copy(
        settings = settings,
        curve = goOn(curve, rate, settings),
        announced = announced.takeIf { settings.readsHints },
    )

    companion object {
        /** The limiter of a client that was started at [now] and has sent nothing. */
        fun startingAt(now: Long, settings: SendRateSettings): Limiter {
            val ticks = Ticks.startingAt(now)
            val flat = CubicCurve(top = 0.0, cutAt = ticks.at(now, 0), settings)
            return Limiter(settings, ticks, goOn(flat, 0.0, settings))
        }
    }
}
