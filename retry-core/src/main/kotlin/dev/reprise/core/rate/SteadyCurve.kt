package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow

/**
 * The curve of [GrowthRule.STEADY].
 *
 * ```
 *  rate
 *   |                                            search: doubles every half second that the server bears
 *   |                                        .-'
 *  top - - - - - - -.---------------------'  <- probe: a cubic, gentle at first
 *   |          . '      recovered
 *  low  . . '
 *   |  ^ recovery: a cubic, steep at first
 *   +--cut----over------------------------------------------------------------------------------------> time
 *       <event>
 *
 *  throttle of a request that was sent ...
 *    before the cut, or before that was over    says nothing new
 *    after the event was over                   cuts: top = what was admitted, low = beta * top; if permits were left
 *                                               over, the burst is cut instead (BurstTrust)
 *    during the event                           is counted; after eventSeconds it cuts blindly, and the second time it
 *                                               begins a search: that is an outage
 *  accepted answer
 *    to a request that was sent after the cut   the event is over: if many were refused, top = what was admitted
 *                                               since the last event
 *    recovery, probe                            climb; search once the server has swallowed more than a burst
 *    search                                     double
 *  failure                                      time stands still until the next answer that is none
 *  no throttle for quietSeconds                 off
 * ```
 *
 * The search advances with the time when the accepted requests were sent, and not with the clock: the server is known
 * to bear what was sent until then. So it keeps pace with the round trip by itself.
 */
internal class SteadyCurve private constructor(
    override val top: Double,
    override val cutAt: Long,
    private val low: Double,
    private val search: Search?,
    private val count: Count?,
    private val event: ThrottleEvent,
    private val throttledAt: Long,
    /** Since when failures hold the rate, or [NEVER]. */
    private val heldFrom: Long,
    private val trust: BurstTrust,
    private val settings: SendRateSettings,
) : Curve {
    private val constants = settings.steady
    private val shape = SteadyShape(top, low, settings)
    private val isCut get() = top > 0

    override val isHeld: Boolean get() = heldFrom != NEVER

    override val isCalm: Boolean get() = !isCut || (event.isOver && !isHeld)

    override val quietAt: Long =
        if (!isCut || isHeld) NEVER else throttledAt + (constants.quietSeconds * NANOS_PER_SECOND).toLong()

    /** What was learnt stays as [low], for the next throttle. */
    override fun off(): Curve = SteadyCurve(0.0, cutAt, top, null, null, ThrottleEvent(), NEVER, NEVER, trust, settings)

    override fun failed(now: Long): Curve = if (!isCut || isHeld) this else with(heldFrom = now)

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): Curve = when {
        !isCut -> this

        isHeld -> resumed(now - heldFrom).accepted(sentAt, now, rate, admitted, meter)

        !event.isOver && sentAt >= cutAt -> over(sentAt, now, admitted)

        count?.isMature != true && !isYoungAt(now) -> with(count = Count(now, admitted, isMature = true))

        search == null -> if (shape.hasOutgrownAt(secondsOf(sentAt - cutAt))) with(search = Search(now, rate)) else this

        wanted(sentAt, now, rate) > FAR_BEYOND * limit(meter) ->
            with(search = Search(max(search.from, sentAt), limit(meter), search.outage, search.least))

        else -> this
    }

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double =
        if (isCut) max(min(wanted(sentAt, now, rate), limit(meter)), settings.minFillRate) else rate

    /** A permit is the time until the next attempt: one that is half saved has waited for half of a shorter interval. */
    override fun worthOfSaved(before: Double, after: Double): Double = if (after < before) after / before else 1.0

    override fun throttled(throttle: Throttle): Curve {
        if (!throttle.enabled) return firstCut(throttle)
        if (isHeld) return resumed(throttle.now - heldFrom).throttled(throttle)
        val blamed = if (event.isOver) trust.blamed(throttle, constants) else null
        if (blamed != null) return with(throttledAt = throttle.now, trust = blamed)
        val isOld = throttle.sentAt < cutAt || (event.isOver && throttle.sentAt < event.overAt)
        return when {
            isOld -> with(throttledAt = throttle.now)
            !event.isOver -> refusedAgain(throttle)
            else -> cutToAdmitted(throttle)
        }
    }

    /** A throttle that does not cut changes nothing. */
    override fun rate(throttle: Throttle): Double = if (throttle.now == cutAt) low else throttle.rate

    override fun burstSeconds(now: Long): Double = trust.at(now, constants)

    override val lateSeconds: Double get() = LATE_SECONDS

    /** This curve's shape under other [settings]. */
    fun under(settings: SendRateSettings) =
        SteadyCurve(top, cutAt, low, search, count, event, throttledAt, heldFrom, trust, settings)

    private fun wanted(sentAt: Long, now: Long, rate: Double): Double {
        if (search == null) return shape.rateAt(secondsOf(now - cutAt))
        val doublings = secondsOf(max(0, sentAt - search.from)) / constants.doublingSeconds
        // An answer that was long under way takes nothing back.
        return max(search.rate * 2.0.pow(doublings), rate)
    }

    private fun limit(meter: Meter): Double = maxOf(
        settings.beta * top,
        settings.maxRateOverMeasured * max(meter.admittedRate, settings.minFillRate),
        search?.least ?: 0.0,
    )

    /**
     * Nothing is known but what was admitted lately, or what was learnt before the limiter went off: search from half
     * of it.
     */
    private fun firstCut(throttle: Throttle): SteadyCurve {
        val lately = max(throttle.meter.admittedRate, throttle.meter.admittedLately(throttle.admitted, settings))
        return searching(throttle, max(low, lately) / 2, outage = null, isBlind = false)
    }

    private fun cutToAdmitted(throttle: Throttle): SteadyCurve {
        val rate = throttle.rate
        val least = rate * constants.deepestCut
        if (search != null) {
            // The server has borne nearly this rate, or has paid for it out of a burst: so much the event will say.
            return cut(throttle, rate, settings.beta * throttle.meter.admittedRate.coerceIn(least, rate))
        }
        val isAgain = count != null && !count.isMature && throttle.admitted - count.before < FEW
        val top = when {
            count == null -> rate

            isAgain -> (if (shape.isGentle) AGAIN_IF_SLOW else AGAIN) * rate

            else -> {
                val counted = count.rate(throttle.admitted, throttle.now)
                (if (count.isMature) counted else (counted + rate) / 2).coerceIn(least, rate)
            }
        }
        return cut(throttle, top, settings.beta * top, count)
    }

    /** Nothing was accepted since the cut. For a while that says nothing new; the second time it is an outage. */
    private fun refusedAgain(throttle: Throttle): SteadyCurve {
        val age = secondsOf(throttle.sentAt - cutAt)
        if (age < constants.eventSeconds) {
            return with(event = event.refusedOnce(), throttledAt = throttle.now)
        }
        val least = throttle.rate * constants.deepestCut
        val outage = search?.outage ?: if (event.isBlind) Outage(lost = top, since = cutAt) else null
        if (outage == null) return cut(throttle, throttle.rate, settings.beta * least, count, isBlind = true)
        return searching(throttle, max(least, outage.leastRate(throttle.now)), outage, isBlind = true)
    }

    /**
     * The event is over: if it was more than a stray throttle, what was admitted since the last one is the server's
     * rate.
     */
    private fun over(sentAt: Long, now: Long, admitted: Long): SteadyCurve {
        val next = with(count = Count(now, admitted, isMature = false), event = event.over(sentAt))
        val outage = search?.outage
        if (outage != null && outage.isOfFast) {
            val back = outage.back(now)
            return next.with(search = Search(sentAt, back, outage, least = back))
        }
        // A blind cut has answered the event; the refused time would be counted a second time.
        if (search != null || event.isBlind) return next
        if (event.refused < (if (count?.isMature != false) MANY else FEW)) return next
        // A search that was refused many times had overshot: half-way back to what was admitted before.
        if (count == null) return next.with(top = (top + low / settings.beta) / 2)
        val seen = count.shrunkRate(admitted, now, low).coerceAtLeast(DEEPEST_ESTIMATE * low)
        val newTop = max(settings.minFillRate, min(top, seen))
        val newLow = max(settings.minFillRate, min(low, settings.beta * newTop))
        return next.with(top = newTop, low = newLow)
    }

    private fun searching(throttle: Throttle, rate: Double, outage: Outage?, isBlind: Boolean): SteadyCurve {
        val now = throttle.now
        val from = max(rate, settings.minFillRate)
        val event = ThrottleEvent(isBlind = isBlind)
        val search = Search(now, from, outage)
        return SteadyCurve(from, now, from, search, null, event, now, NEVER, trust.cut(now, constants), settings)
    }

    private fun cut(
        throttle: Throttle,
        top: Double,
        low: Double,
        count: Count? = null,
        isBlind: Boolean = false,
    ): SteadyCurve {
        val now = throttle.now
        val newTop = max(top, settings.minFillRate)
        val newLow = max(low, settings.minFillRate)
        val event = ThrottleEvent(isBlind = isBlind)
        return SteadyCurve(newTop, now, newLow, null, count, event, now, NEVER, trust.cut(now, constants), settings)
    }

    private fun isYoungAt(now: Long) = shape.isYoungAt(secondsOf(now - cutAt))

    /** This curve [later]: time has stood still for so long. */
    private fun resumed(later: Long) = SteadyCurve(
        top,
        cutAt + later,
        low,
        search?.later(later),
        count?.later(later),
        event.later(later),
        throttledAt + later,
        NEVER,
        trust.later(later),
        settings,
    )

    private fun with(
        top: Double = this.top,
        low: Double = this.low,
        search: Search? = this.search,
        count: Count? = this.count,
        event: ThrottleEvent = this.event,
        throttledAt: Long = this.throttledAt,
        heldFrom: Long = this.heldFrom,
        trust: BurstTrust = this.trust,
    ) = SteadyCurve(top, cutAt, low, search, count, event, throttledAt, heldFrom, trust, settings)

    companion object {
        /** Goes on from where another rule stands, where the rate is [rate]. */
        fun from(other: Curve, rate: Double, settings: SendRateSettings): SteadyCurve {
            val top = max(other.top, rate)
            val trust = BurstTrust(settings.steady.firstBurstSeconds, other.cutAt)
            return SteadyCurve(top, other.cutAt, rate, null, null, ThrottleEvent(), other.cutAt, NEVER, trust, settings)
        }
    }
}
