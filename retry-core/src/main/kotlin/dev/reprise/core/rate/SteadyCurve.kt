package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow
import kotlin.math.sqrt

/**
 * The curve of [GrowthRule.Steady].
 *
 * ```
 *  rate
 *   |                                            search: doubles every half second that the server bears
 *   |                                        .-'
 *  top - - - - - - -.---------------------'  <- probe: a cubic, gentle at first
 *   |          . '      recovered
 *  low  . . '
 *   |  ^ recovery: a cubic, steep at first          a throttle of a request sent after the cut: cut again
 *   +--cut------------------------------------------------------------------------------------------> time
 *
 *  from        throttled by the old rate     throttled                       accepted
 *  recovery    (no change)                   top = rate, low = beta * top    climb; then probe
 *  probe       (no change)                   top = what was admitted         grow; search once the server has swallowed
 *                                                                            more than a burst would explain
 *  search      (no change)                   top = rate, low = beta * what   double
 *                                            was admitted last
 *  any of them, down to the least rate       search again: there is nothing left to lose
 * ```
 *
 * The search advances with the time when the accepted requests were sent, and not with the clock: the server is known to
 * bear what was sent until then. So it keeps pace with the round trip by itself.
 */
internal class SteadyCurve private constructor(
    override val top: Double,
    override val cutAt: Long,
    private val low: Double,
    private val search: Search?,
    private val count: Count?,
    private val settings: SendRateSettings,
) : Curve {
    private val isCut get() = top > 0

    private class Search(val from: Long, val rate: Double)

    /** Of the answers after [from]: their total before. */
    private class Count(val from: Long, val admittedBefore: Long)

    private val constants = settings.steady
    private val gentleness = min(1.0, top / constants.gentleBelow)
    private val recovery = constants.recoverySeconds / sqrt(gentleness)
    private val probeScale = settings.scale * gentleness

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve = when {
        !isCut -> this
        count == null && !isYoung(now) -> with(count = Count(now, admitted))
        search == null -> if (hasOutgrown(sentAt)) with(Search(now, rate)) else this
        wanted(sentAt, now, rate) > FAR_BEYOND * limit(meter) -> with(Search(max(search.from, sentAt), limit(meter)))
        else -> this
    }

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double =
        if (isCut) max(min(wanted(sentAt, now, rate), limit(meter)), settings.minFillRate) else rate

    override fun throttled(throttle: Throttle): Curve {
        if (!throttle.enabled) return searching(throttle)
        if (throttle.sentAt < cutAt) return this
        val rate = throttle.rate
        val least = rate * constants.deepestCut
        return when {
            search != null -> {
                val admitted = throttle.meter.admittedRate.coerceIn(least, rate)
                cut(throttle.now, rate, settings.beta * admitted)
            }

            count == null -> cut(throttle.now, rate, settings.beta * rate)

            else -> {
                val seen = (throttle.admitted - count.admittedBefore + 1) / secondsOf(throttle.now - count.from)
                val top = seen.coerceIn(least, rate)
                cut(throttle.now, top, settings.beta * top)
            }
        }
    }

    /** A throttle that does not cut changes nothing. */
    override fun rate(throttle: Throttle): Double = if (throttle.now == cutAt) low else throttle.rate

    override fun burstSeconds(now: Long): Double =
        min(1.0, constants.firstBurstSeconds + constants.trustPerSecond * secondsOf(now - cutAt))

    /** This curve's shape under other [settings]. */
    fun under(settings: SendRateSettings) = SteadyCurve(top, cutAt, low, search, count, settings)

    private fun wanted(sentAt: Long, now: Long, rate: Double): Double {
        val age = secondsOf(now - cutAt)
        return when {
            search != null -> {
                val doublings = secondsOf(max(0, sentAt - search.from)) / constants.doublingSeconds
                // An answer that was long under way takes nothing back.
                max(search.rate * 2.0.pow(doublings), rate)
            }

            age < recovery -> top - (top - low) * cube(1 - age / recovery)

            else -> top * (1 + probeScale * cube(age - recovery))
        }
    }

    private fun limit(meter: Meter): Double = max(
        settings.beta * top,
        settings.maxRateOverMeasured * max(meter.admittedRate, settings.minFillRate),
    )

    /** The first throttle of all: nothing is known yet, so begin at half of what was admitted lately and search. */
    private fun searching(throttle: Throttle): SteadyCurve {
        val lately = max(throttle.meter.admittedRate, throttle.meter.admittedLately(throttle.admitted, settings))
        val rate = max(settings.minFillRate, lately / 2)
        return SteadyCurve(rate, throttle.now, rate, Search(throttle.now, rate), null, settings)
    }

    private fun cut(now: Long, top: Double, low: Double): SteadyCurve {
        val newTop = max(top, settings.minFillRate)
        val newLow = max(low, settings.minFillRate)
        val search = if (newTop <= settings.minFillRate) Search(now, newLow) else null
        return SteadyCurve(newTop, now, newLow, search, null, settings)
    }

    private fun isYoung(now: Long) = secondsOf(now - cutAt) < recovery / 2

    /**
     * Whether the server has accepted more above [top] than a burst would explain. The excess is the integral of the probe
     * until [sentAt], when a request was sent that it accepted.
     */
    private fun hasOutgrown(sentAt: Long): Boolean {
        val probing = secondsOf(sentAt - cutAt) - recovery
        if (probing <= 0) return false
        val excess = top * probeScale * cube(probing) * probing / 4
        return excess > max(constants.burstAttempts, constants.burstSeconds * top)
    }

    private fun with(search: Search? = this.search, count: Count? = this.count) =
        SteadyCurve(top, cutAt, low, search, count, settings)

    companion object {
        /** A search that is so many times faster than what is measured begins anew from there. */
        private const val FAR_BEYOND = 2.0

        /** Goes on from where another rule stands, where the rate is [rate]. */
        fun from(other: Curve, rate: Double, settings: SendRateSettings): SteadyCurve =
            SteadyCurve(max(other.top, rate), other.cutAt, rate, null, null, settings)

        private fun cube(x: Double) = x * x * x
    }
}
