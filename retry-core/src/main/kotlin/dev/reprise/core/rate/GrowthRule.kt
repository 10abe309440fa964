package dev.reprise.core.rate

import kotlin.math.cbrt
import kotlin.math.min

/** How a send rate is cut by a throttle and how it grows again: the part of adaptive mode that the SDKs call CUBIC. */
public sealed class GrowthRule(
    /** The name of the rule, as it stands in a written policy. */
    public val name: String,
) {
    /** What one answer makes of the curve. */
    internal abstract fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve

    override fun toString(): String = name

    /**
     * CUBIC as the AWS SDKs have it: every throttle cuts the rate, and growth is a cubic in attempts a second.
     *
     * `scale` is in attempts a second per cubed second. Equal to botocore's `CubicCalculator`.
     */
    public object Cubic : GrowthRule("cubic") {
        override fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve = if (answer.throttled) {
            val top = if (answer.enabled) min(answer.measured, answer.rate) else answer.measured
            Curve(rate = settings.beta * top, top = top, cutAt = answer.now)
        } else {
            val recovery = cbrt(curve.top * (1 - settings.beta) / settings.scale)
            val beyond = secondsOf(answer.now - curve.cutAt) - recovery
            curve.grownTo(settings.scale * beyond * beyond * beyond + curve.top)
        }
    }

    /**
     * This library's rule: one cut per round trip, and growth in proportion to what was reached.
     *
     * A throttle cuts only when it answers a request that was sent after the last cut, because one that was sent
     * before says nothing new. `scale` is in parts of the last top per cubed second.
     */
    public object Steady : GrowthRule("steady") {
        override fun next(curve: Curve, answer: Answer, settings: SendRateSettings): Curve = when {
            !answer.throttled -> {
                val recovery = cbrt((1 - settings.beta) / settings.scale)
                val beyond = secondsOf(answer.now - curve.cutAt) - recovery
                curve.grownTo(curve.top * (1 + settings.scale * beyond * beyond * beyond))
            }

            answer.enabled && answer.sentAt < curve.cutAt -> {
                curve
            }

            else -> {
                val top = if (answer.enabled) min(answer.measured, answer.rate) else answer.measured
                Curve(rate = settings.beta * top, top = top, cutAt = answer.now)
            }
        }
    }

    public companion object {
        /** The rule called [name]; null when there is none. */
        @JvmStatic
        public fun named(name: String): GrowthRule? = listOf(Cubic, Steady).find { it.name == name }
    }
}

/** Where the rate stands between two cuts: the [rate] that the rule asks for, the [top] before the last cut, and when that was. */
internal class Curve(val rate: Double, val top: Double, val cutAt: Long) {
    fun grownTo(rate: Double) = Curve(rate, top, cutAt)
}

/** One answer as a rule sees it; times in nanoseconds since the state's origin, rates in attempts a second. */
internal class Answer(
    val throttled: Boolean,
    val sentAt: Long,
    val now: Long,
    val enabled: Boolean,
    val rate: Double,
    val measured: Double,
)
