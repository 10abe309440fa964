package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow
import kotlin.math.sqrt

internal class SteadyCurve private constructor(
    override val top: Double,
    override val cutAt: Long,
    private val low: Double,
    private val search: Search?,
    private val count: Count?,
    /** The answers that had been admitted when the rate was cut. */
    private val admittedAtCut: Long,
    /** Whether a request that was sent after the cut has been accepted. */
    private val isOver: Boolean,
    private val throttledAt: Long,
    private val heldFrom: Long,
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

    override val isHeld: Boolean get() = heldFrom != NOT_HELD

    override val quietAt: Long =
        if (!isCut || isHeld) {
            Long.MAX_VALUE
        } else {
            throttledAt + (min(LONGEST_QUIET, max(60.0, 15 * recovery)) * NANOS_PER_SECOND).toLong()
        }

    override fun off(): Curve = SteadyCurve(0.0, cutAt, top, null, null, 0, false, 0, NOT_HELD, settings)

    override fun failed(now: Long): Curve = if (!isCut || isHeld) this else with(heldFrom = now)

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve = when {
        !isCut -> this
        isHeld -> resumed(now - heldFrom).accepted(sentAt, now, rate, admitted, meter)
        !isOver && sentAt >= cutAt -> with(isOver = true).accepted(sentAt, now, rate, admitted, meter)
        count == null && !isYoung(now) -> with(count = Count(now, admitted))
        search == null -> if (hasOutgrown(sentAt)) with(Search(now, rate)) else this
        wanted(sentAt, now, rate) > FAR_BEYOND * limit(meter) -> with(Search(max(search.from, sentAt), limit(meter)))
        else -> this
    }

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double =
        if (isCut) max(min(wanted(sentAt, now, rate), limit(meter)), settings.minFillRate) else rate

    override fun throttled(throttle: Throttle): Curve {
        if (!throttle.enabled) return searching(throttle)
        if (isHeld) return resumed(throttle.now - heldFrom).throttled(throttle)
        if (throttle.sentAt < cutAt || !(isOver || secondsOf(throttle.now - cutAt) >= EVENT)) return with(throttledAt = throttle.now)
        val rate = throttle.rate
        val least = rate * constants.deepestCut
        return when {
            search != null -> {
                val admitted = throttle.meter.admittedRate.coerceIn(least, rate)
                cut(throttle, rate, settings.beta * admitted)
            }

            count == null -> {
                cut(throttle, rate, settings.beta * rate)
            }

            else -> {
                val seen = (throttle.admitted - count.admittedBefore + 1) / secondsOf(throttle.now - count.from)
                val top = seen.coerceIn(least, rate)
                cut(throttle, top, settings.beta * top)
            }
        }
    }

    /** A throttle that does not cut changes nothing. */
    override fun rate(throttle: Throttle): Double = if (throttle.now == cutAt) low else throttle.rate

    override fun burstSeconds(now: Long): Double =
        min(1.0, constants.firstBurstSeconds + constants.trustPerSecond * secondsOf(now - cutAt))

    /** This curve's shape under other [settings]. */
    fun under(settings: SendRateSettings) =
        SteadyCurve(top, cutAt, low, search, count, admittedAtCut, isOver, throttledAt, heldFrom, settings)

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
        val rate = max(settings.minFillRate, max(low, lately) / 2)
        return SteadyCurve(
            rate, throttle.now, rate, Search(throttle.now, rate), null, throttle.admitted, false, throttle.now, NOT_HELD, settings,
        )
    }

    private fun cut(throttle: Throttle, top: Double, low: Double): SteadyCurve {
        val now = throttle.now
        val newTop = max(top, settings.minFillRate)
        val newLow = max(low, settings.minFillRate)
        val search = if (newTop <= settings.minFillRate) Search(now, newLow) else null
        return SteadyCurve(newTop, now, newLow, search, null, throttle.admitted, false, now, NOT_HELD, settings)
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

    /** This curve [later]. */
    private fun resumed(later: Long) = SteadyCurve(
        top,
        cutAt + later,
        low,
        search?.let { Search(it.from + later, it.rate) },
        count?.let { Count(it.from + later, it.admittedBefore) },
        admittedAtCut,
        isOver,
        throttledAt + later,
        NOT_HELD,
        settings,
    )

    private fun with(
        search: Search? = this.search,
        count: Count? = this.count,
        isOver: Boolean = this.isOver,
        throttledAt: Long = this.throttledAt,
        heldFrom: Long = this.heldFrom,
    ) = SteadyCurve(top, cutAt, low, search, count, admittedAtCut, isOver, throttledAt, heldFrom, settings)

    companion object {
        val EVENT = System.getProperty("event", "2.0").toDouble()
        private const val LONGEST_QUIET = 180.0
        private const val NOT_HELD = Long.MAX_VALUE

        /** A search that is so many times faster than what is measured begins anew from there. */
        private const val FAR_BEYOND = 2.0

        /** Goes on from where another rule stands, where the rate is [rate]. */
        fun from(other: Curve, rate: Double, settings: SendRateSettings): SteadyCurve =
            SteadyCurve(max(other.top, rate), other.cutAt, rate, null, null, 0, false, other.cutAt, NOT_HELD, settings)

        private fun cube(x: Double) = x * x * x
    }
}
