package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import kotlin.math.max
import kotlin.math.min

/**
 * The curve of [GrowthRule.STEADY].
 *
 * ```
 *  rate
 *   |                                            search: doubles every half second that the server bears
 *   |                                        .-'
 *  top - - - - - - -.---------------------'  <- probe: a cubic, gentle at first; later where answers are slow
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
 *    during the event                           is counted; after EVENT_SECONDS it cuts blindly, and the second time it
 *                                               begins a search: that is an outage
 *  accepted answer
 *    to a request from before the first cut     the search begins higher
 *    to a request that was sent after the cut   the event is over: if many were refused, top = what was admitted
 *                                               since the last event
 *    recovery, probe                            climb; search once the server has swallowed more than a burst
 *    search                                     double
 *  failure                                      time stands still until the next answer that is none
 *  no throttle for quietSeconds                 off
 * ```
 *
 * The figures beside the constants say what is lost without them; `docs/figures/adaptive-parts.csv` has the table.
 */
internal data class SteadyCurve(
    private val shape: SteadyShape,
    private val trust: BurstTrust,
    private val throttledAt: Long,
    private val search: Search? = null,
    private val estimate: Estimate? = null,
    private val event: ThrottleEvent = ThrottleEvent(),
    /** Since when failures hold the rate, or [UNLIMITED_NANOS]. */
    private val heldFrom: Long = UNLIMITED_NANOS,
) : Curve {
    private val settings get() = shape.settings
    override val top: Double get() = shape.top
    override val cutAt: Long get() = shape.cutAt

    /** Whether the rate is held because of failures. */
    val isHeld: Boolean get() = heldFrom != UNLIMITED_NANOS

    /** When the limiter goes off if no throttle comes before. */
    val quietAt: Long = if (!shape.isCut || isHeld) UNLIMITED_NANOS else throttledAt + settings.quietNanos

    /** The curve of a limiter that goes off. The learnt rate stays as the shape's low, for the next throttle. */
    fun off(): SteadyCurve = SteadyCurve(SteadyShape(0.0, top, cutAt, settings), trust, throttledAt = UNLIMITED_NANOS)

    /** The curve after a failure at [now], which is no evidence of capacity. */
    fun failed(now: Long): SteadyCurve = if (!shape.isCut || isHeld) this else copy(heldFrom = now)

    override fun accepted(sentAt: Long, now: Long, rate: Double, admitted: Long, meter: Meter): SteadyCurve = when {
        !shape.isCut -> this

        isHeld -> resumed(now).accepted(sentAt, now, rate, admitted, meter)

        !event.isOver && sentAt >= cutAt -> over(sentAt, now, admitted)

        !event.isOver && search != null && search.outage == null -> found(search, borne(meter, admitted))

        estimate?.isMature != true && !shape.isYoungAt(now) ->
            copy(estimate = Estimate(now, admitted, isMature = true, young = estimate))

        search == null -> if (shape.isOutgrownAt(sentAt)) copy(search = Search(now, rate)) else this

        else -> search.within(limit(meter), sentAt, rate).let { if (it === search) this else copy(search = it) }
    }

    override fun rate(sentAt: Long, now: Long, rate: Double, meter: Meter): Double {
        if (!shape.isCut) return rate
        val wanted = search?.rateAfter(sentAt, rate) ?: shape.rateAt(now)
        return max(min(wanted, limit(meter)), settings.minFillRate)
    }

    override fun throttled(throttle: Throttle): SteadyCurve {
        if (!throttle.enabled) return firstCut(throttle)
        if (isHeld) return resumed(throttle.now).throttled(throttle)
        val blamed = if (event.isOver) trust.blamed(throttle) else null
        if (blamed != null) return copy(throttledAt = throttle.now, trust = blamed)
        val isOld = throttle.sentAt < cutAt || (event.isOver && throttle.sentAt < event.overAt)
        return when {
            isOld -> copy(throttledAt = throttle.now)
            !event.isOver -> refusedAgain(throttle)
            else -> cutToAdmitted(throttle)
        }
    }

    /** A throttle that does not cut changes nothing. */
    override fun rate(throttle: Throttle): Double = if (throttle.now == cutAt) shape.low else throttle.rate

    /** Time stands still for the burst too: failures are no quiet seconds. */
    override fun burstSeconds(now: Long): Double = trust.at(min(now, heldFrom))

    /** This curve under other [settings]. */
    fun under(settings: SendRateSettings): SteadyCurve = copy(shape = shape.under(settings))

    private fun limit(meter: Meter): Double = maxOf(
        settings.beta * top,
        Meter.MOST_OVER_MEASURED * max(meter.admittedRate, settings.minFillRate),
        search?.least ?: 0.0,
    )

    /**
     * Only the recently admitted rate is known, or the rate from before the limiter went off: search from half of it.
     */
    private fun firstCut(throttle: Throttle): SteadyCurve =
        searching(throttle, max(shape.low / 2, borne(throttle.meter, throttle.admitted)))

    /** Half of the rate admitted lately: a search begins there if no more is known of the server. */
    private fun borne(meter: Meter, admitted: Long) = max(meter.admittedRate, meter.admittedLately(admitted)) / 2

    /**
     * An attempt of before the first cut was accepted after it, so the [search] goes from as high a [rate] as if its answer had come
     * first. (Without: of 100/s, 200 callers that start together get 0.001 for ten seconds, with this 0.68.)
     */
    private fun found(search: Search, rate: Double): SteadyCurve =
        if (rate <= search.rate) this else copy(shape = shape.with(rate, rate), search = Search(search.from, rate))

    private fun cutToAdmitted(throttle: Throttle): SteadyCurve {
        val rate = throttle.rate
        val least = rate * DEEPEST_CUT
        if (search != null) {
            // The server has borne nearly this rate, or has paid for it out of a burst: so much the event will say.
            return cut(throttle, rate, settings.beta * throttle.meter.admittedRate.coerceIn(least, rate))
        }
        val top = when {
            estimate == null || estimate.isShort(throttle.now) -> rate

            estimate.isEmpty(throttle.admitted) -> (if (shape.isGentle) AGAIN_IF_GENTLE else AGAIN) * rate

            else -> {
                val counted = estimate.rate(throttle.admitted, throttle.now)
                (if (estimate.isMature) counted else (counted + rate) / 2).coerceIn(least, rate)
            }
        }
        return cut(throttle, top, settings.beta * top, estimate?.orBefore(throttle.now))
    }

    /** Nothing was accepted since the cut. For a while that says nothing new; the second time it is an outage. */
    private fun refusedAgain(throttle: Throttle): SteadyCurve {
        if (secondsOf(throttle.sentAt - cutAt) < EVENT_SECONDS) {
            return copy(event = event.refusedOnce(), throttledAt = throttle.now)
        }
        val least = throttle.rate * DEEPEST_CUT
        val outage = search?.outage ?: if (event.isBlind) Outage(lost = top, since = cutAt) else null
        if (outage == null) return cut(throttle, throttle.rate, settings.beta * least, estimate, isBlind = true)
        return searching(throttle, max(least, outage.leastRate(throttle.now)), outage)
    }

    /** The event is over. Unless it was a stray throttle, the rate admitted since the last one is the server's. */
    private fun over(sentAt: Long, now: Long, admitted: Long): SteadyCurve {
        val next = copy(estimate = Estimate(now, admitted, isMature = false), event = event.over(sentAt))
        val outage = search?.outage
        if (outage != null && outage.isOfFast) {
            val back = outage.back(now)
            return next.copy(search = Search(sentAt, back, outage, least = back))
        }
        // A blind cut has answered the event; the refused time would be counted a second time.
        if (search != null || event.isBlind) return next
        if (event.refused < (estimate?.refusalsThatTell ?: Estimate.MANY)) return next
        // A search that was refused many times had overshot: go half-way back to the rate admitted before.
        if (estimate == null) return next.copy(shape = shape.with((top + shape.low / settings.beta) / 2, shape.low))
        // Callers who sleep do not ask: an interval after the last refusal the refused time is over. (Without: up to
        // 22 s longer.)
        val asked = min(now, throttledAt + (SECOND / shape.low).toLong())
        val newTop = max(settings.minFillRate, min(top, estimate.shrunkRate(admitted, asked, shape.low)))
        return next.copy(shape = shape.with(newTop, min(shape.low, settings.beta * newTop)))
    }

    /** Searches from [rate]; after an [outage] nothing was accepted since the cut before. */
    private fun searching(throttle: Throttle, rate: Double, outage: Outage? = null): SteadyCurve {
        val from = max(rate, settings.minFillRate)
        return cut(throttle, from, from, isBlind = outage != null).copy(search = Search(throttle.now, from, outage))
    }

    private fun cut(
        throttle: Throttle,
        top: Double,
        low: Double,
        estimate: Estimate? = null,
        isBlind: Boolean = false,
    ): SteadyCurve = SteadyCurve(
        shape = SteadyShape(top, low, throttle.now, settings, secondsOf(throttle.now - throttle.sentAt)).with(top, low),
        trust = trust.cut(throttle.now),
        throttledAt = throttle.now,
        estimate = estimate,
        event = ThrottleEvent(isBlind = isBlind),
    )

    /** This curve after time has stood still from [heldFrom] to [now]. */
    private fun resumed(now: Long): SteadyCurve {
        val by = now - heldFrom
        return SteadyCurve(
            shape = shape.later(by),
            trust = trust.later(by),
            throttledAt = throttledAt + by,
            search = search?.later(by),
            estimate = estimate?.later(by),
            event = event.later(by),
        )
    }

    companion object {
        /** A server that accepts nothing for so long is cut again: a window of one second refuses for less than that. */
        private const val EVENT_SECONDS = 1.2

        /** One cut leaves the top at least at this part: one accident costs no more. (Without: four cells are worse, by up to 0.17.) */
        private const val DEEPEST_CUT = 0.6

        /** The extra factor, besides beta, of a cut right after a cut. (Without: 10/s to 1/s takes 11 s longer.) */
        private const val AGAIN = 0.9

        /** The same where a cut takes a second or more. (0.9 there: 4 s longer in a fixed window.) */
        private const val AGAIN_IF_GENTLE = 0.85

        /**
         * Seconds' worth of permits that the bucket keeps for waiting callers: a timer is late by a millisecond or two,
         * a thread on a busy machine by more, a garbage collection by tens. (Without, and with one saved permit: up to
         * 0.81 less.)
         */
        const val LATE_SECONDS = 0.05

        /** Continues from the state of another rule, where the rate is [rate]. */
        fun from(other: Curve, rate: Double, settings: SendRateSettings): SteadyCurve = SteadyCurve(
            shape = SteadyShape(max(other.top, rate), rate, other.cutAt, settings),
            trust = BurstTrust.startingAt(other.cutAt),
            throttledAt = other.cutAt,
        )
    }
}
