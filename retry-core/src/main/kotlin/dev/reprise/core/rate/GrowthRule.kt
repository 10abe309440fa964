package dev.reprise.core.rate

import kotlin.math.cbrt
import kotlin.math.min

/** How a send rate is cut by a throttle and how it grows again: the part of adaptive mode that the SDKs call CUBIC. */
public sealed class GrowthRule(
    /** The name of the rule, as it stands in a written policy. */
    public val name: String,
) {
    /** What one answer makes of the curve, whichever rule drew it so far. */
    internal abstract fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve

    /** How many seconds' worth of attempts may be saved up for a burst at the time [now]. */
    internal abstract fun burstSeconds(curve: Curve, now: Long): Double

    override fun toString(): String = name

    /**
     * CUBIC as the AWS SDKs have it: every throttle cuts the rate, and growth is a cubic in attempts a second.
     *
     * `scale` is in attempts a second per cubed second. Equal to botocore's `CubicCalculator`.
     */
    public object Cubic : GrowthRule("cubic") {
        override fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve {
            val limit = settings.maxRateOverMeasured * answer.measured
            if (answer.throttled) {
                val top = if (answer.enabled) min(answer.measured, answer.rate) else answer.measured
                return CubicCurve(min(settings.beta * top, limit), top, answer.now)
            }
            val recovery = cbrt(curve.top * (1 - settings.beta) / settings.scale)
            val beyond = secondsOf(answer.now - curve.cutAt) - recovery
            val rate = settings.scale * beyond * beyond * beyond + curve.top
            return CubicCurve(min(rate, limit), curve.top, curve.cutAt)
        }

        /** The SDKs' bucket holds one second's worth. */
        override fun burstSeconds(curve: Curve, now: Long): Double = 1.0
    }

    /**
     * This library's rule: settles on the server's rate and stays there.
     *
     * A throttle cuts only when it answers a request that was sent after the last cut, as in TCP: one that was sent before
     * says nothing new. The rate returns to what the server was seen to admit, and from there grows in proportion.
     * `scale` is in parts of the last top per cubed second. [SteadyCurve] has the whole of it.
     */
    public object Steady : GrowthRule("steady") {
        override fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve {
            val steady = curve as? SteadyCurve ?: SteadyCurve.from(curve, answer.now, settings)
            return if (answer.throttled) steady.throttled(answer, settings) else steady.accepted(answer, settings)
        }

        override fun burstSeconds(curve: Curve, now: Long): Double = SteadyCurve.burstSeconds(now - curve.cutAt)
    }

    public companion object {
        /** The rule called [name]; null when there is none. */
        @JvmStatic
        public fun named(name: String): GrowthRule? = listOf(Cubic, Steady).find { it.name == name }
    }
}

/** Where the rate stands between two cuts. Rates in attempts a second, times in nanoseconds since the state's origin. */
internal interface Curve {
    /** The rate that the rule asks for. */
    val rate: Double

    /** The rate that the last cut fell from. */
    val top: Double

    /** When the last cut was made. */
    val cutAt: Long
}

/** All that the SDKs' rule remembers. */
internal class CubicCurve(override val rate: Double, override val top: Double, override val cutAt: Long) : Curve

/** One answer as a rule sees it; times in nanoseconds since the state's origin, rates in attempts a second. */
internal class Answer(
    val throttled: Boolean,
    val sentAt: Long,
    val now: Long,
    /** Whether the limiter was on before this answer. */
    val enabled: Boolean,
    /** The rate in force. */
    val rate: Double,
    /** All answers, this one included, smoothed over whole buckets. */
    val measured: Double,
    /** Of these, the ones that were not throttled. */
    val admitted: Double = measured,
    /** The same without smoothing, from the bucket that is still open. */
    val admittedLately: Double = admitted,
)
