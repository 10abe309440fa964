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
    /** What is counted for the next estimate. */
    private val count: Count?,
    /** When the first request was sent after the cut that has been accepted; [NEVER] before. */
    private val overAt: Long,
    private val throttledAt: Long,
    private val heldFrom: Long,
    private val wasBlind: Boolean,
    /** Refused since the cut of what was sent after it. */
    private val refused: Int,
    private val settings: SendRateSettings,
) : Curve {
    private val isCut get() = top > 0
    private val isOver get() = overAt != NEVER

    private class Search(val from: Long, val rate: Double, val least: Double = 0.0)

    /** Of the answers after [from]: their total before. */
    private class Count(val from: Long, val admittedBefore: Long, val isMature: Boolean) {
        /** Accepted a second; one more than there were, so that a short count says little. */
        fun rate(admitted: Long, now: Long) = (admitted - admittedBefore + 1) / secondsOf(max(1, now - from))
    }

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

    override fun off(): Curve = SteadyCurve(0.0, cutAt, top, null, null, NEVER, 0, NOT_HELD, false, 0, settings)

    override fun failed(now: Long): Curve = if (!isCut || isHeld) this else with(heldFrom = now)

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve = when {
        !isCut -> this
        isHeld -> resumed(now - heldFrom).accepted(sentAt, now, rate, admitted, meter)
        !isOver && sentAt >= cutAt -> over(sentAt, now, admitted)
        count?.isMature != true && !isYoung(now) -> with(count = Count(now, admitted, isMature = true))
        search == null -> if (hasOutgrown(sentAt)) with(Search(now, rate)) else this
        wanted(sentAt, now, rate) > FAR_BEYOND * limit(meter) -> with(Search(max(search.from, sentAt), limit(meter)))
        else -> this
    }

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double =
        if (isCut) max(min(wanted(sentAt, now, rate), limit(meter)), settings.minFillRate) else rate

    override fun throttled(throttle: Throttle): Curve {
        if (!throttle.enabled) return searching(throttle)
        if (isHeld) return resumed(throttle.now - heldFrom).throttled(throttle)
        if (throttle.sentAt < cutAt || (isOver && throttle.sentAt < overAt)) return with(throttledAt = throttle.now)
        val rate = throttle.rate
        val age = secondsOf(throttle.sentAt - cutAt)
        val least = rate * constants.deepestCut
        if (!isOver) {
            if (age < max(EVENT, BLIND / low)) return with(throttledAt = throttle.now, refused = refused + 1)
            // Nothing was accepted since the cut. The second time it is an outage, and the way back from it is a search.
            if (search?.least != BACK && !wasBlind) return cut(throttle, rate, settings.beta * least, count, isBlind = true)
            val newLow = max(settings.minFillRate, least)
            return SteadyCurve(newLow, throttle.now, newLow, Search(throttle.now, newLow, BACK), null, NEVER, throttle.now, NOT_HELD, true, 0, settings)
        }
        if (search != null) {
            val admitted = throttle.meter.admittedRate.coerceIn(least, rate)
            return cut(throttle, rate, settings.beta * admitted, null)
        }
        if (count == null) return cut(throttle, rate, settings.beta * rate, null)
        val isAgain = throttle.admitted - count.admittedBefore < 2
        val top = if (!count.isMature && isAgain) AGAIN * rate else count.rate(throttle.admitted, throttle.now).coerceIn(least, rate)
        return cut(throttle, top, settings.beta * top, count)
    }

    /** The throttling is over: now what was admitted from one end to the next is the server's rate. */
    private fun over(sentAt: Long, now: Long, admitted: Long): SteadyCurve {
        val next = Count(now, admitted, isMature = false)
        val enough = if (count?.isMature == true) MANY else YOUNG
        if (count == null || search != null || refused < enough) return with(count = next, overAt = sentAt)
        // The server could have admitted the next one half an interval earlier, on average.
        val seconds = max(secondsOf(now - count.from) - HALF / low, 0.5 / low)
        val newTop = max(settings.minFillRate, min(top, ((admitted - count.admittedBefore + PRIOR) / (seconds + PRIOR / low)).coerceAtLeast(DEEP * low)))
        val newLow = max(settings.minFillRate, min(low, settings.beta * newTop))
        return SteadyCurve(newTop, cutAt, newLow, search, next, sentAt, throttledAt, heldFrom, false, refused, settings)
    }

    /** A throttle that does not cut changes nothing. */
    override fun rate(throttle: Throttle): Double = if (throttle.now == cutAt) low else throttle.rate

    override fun burstSeconds(now: Long): Double =
        min(1.0, constants.firstBurstSeconds + constants.trustPerSecond * secondsOf(now - cutAt))

    /** This curve's shape under other [settings]. */
    fun under(settings: SendRateSettings) =
        SteadyCurve(top, cutAt, low, search, count, overAt, throttledAt, heldFrom, wasBlind, refused, settings)

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

    private fun limit(meter: Meter): Double = maxOf(
        settings.beta * top,
        settings.maxRateOverMeasured * max(meter.admittedRate, LF),
        search?.least ?: 0.0,
    )

    /** The first throttle of all: nothing is known yet, so begin at half of what was admitted lately and search. */
    private fun searching(throttle: Throttle): SteadyCurve {
        val lately = max(throttle.meter.admittedRate, throttle.meter.admittedLately(throttle.admitted, settings))
        val rate = max(settings.minFillRate, max(low, lately) / 2)
        return SteadyCurve(
            rate, throttle.now, rate, Search(throttle.now, rate), null, NEVER, throttle.now, NOT_HELD, false, 0, settings,
        )
    }

    private fun cut(throttle: Throttle, top: Double, low: Double, count: Count?, isBlind: Boolean = false): SteadyCurve {
        val now = throttle.now
        val newTop = max(top, settings.minFillRate)
        val newLow = max(low, settings.minFillRate)
        val search = if (newTop <= settings.minFillRate) Search(now, newLow) else null
        return SteadyCurve(newTop, now, newLow, search, count, NEVER, now, NOT_HELD, isBlind, 0, settings)
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
        search?.let { Search(it.from + later, it.rate, it.least) },
        count?.let { Count(it.from + later, it.admittedBefore, it.isMature) },
        if (isOver) overAt + later else NEVER,
        throttledAt + later,
        NOT_HELD,
        wasBlind,
        refused,
        settings,
    )

    private fun with(
        search: Search? = this.search,
        count: Count? = this.count,
        overAt: Long = this.overAt,
        throttledAt: Long = this.throttledAt,
        heldFrom: Long = this.heldFrom,
        refused: Int = this.refused,
    ) = SteadyCurve(top, cutAt, low, search, count, overAt, throttledAt, heldFrom, wasBlind, refused, settings)

    companion object {
        val DEEP = System.getProperty("deep", "0.25").toDouble()
        val BLIND = System.getProperty("blind", "2").toDouble()
        val AGAIN = System.getProperty("again", "0.9").toDouble()
        val YOUNG = Integer.getInteger("young", 1)
        val HALF = System.getProperty("half", "0.5").toDouble()
        val PRIOR = System.getProperty("prior", "1").toDouble()
        val LF = System.getProperty("lf", "0.1").toDouble()
        val MANY = Integer.getInteger("many", 2)
        const val BACK = 1.0
        val EVENT = System.getProperty("event", "1.2").toDouble()
        private const val LONGEST_QUIET = 180.0
        private const val NOT_HELD = Long.MAX_VALUE
        private const val NEVER = Long.MAX_VALUE

        /** A search that is so many times faster than what is measured begins anew from there. */
        private const val FAR_BEYOND = 2.0

        /** Goes on from where another rule stands, where the rate is [rate]. */
        fun from(other: Curve, rate: Double, settings: SendRateSettings): SteadyCurve =
            SteadyCurve(max(other.top, rate), other.cutAt, rate, null, null, NEVER, other.cutAt, NOT_HELD, false, 0, settings)

        private fun cube(x: Double) = x * x * x
    }
}
