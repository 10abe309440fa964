package dev.reprise.core.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow
import kotlin.math.sqrt

/**
 * The rate between two cuts under [GrowthRule.Steady].
 *
 * ```
 *  rate
 *   |                                            search: doubles every second that the server keeps up with
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
 * "Proven" is the time when the newest accepted request was sent: the server is known to bear what was sent until then.
 * Because search advances with it, and not with the clock, it keeps pace with the round trip by itself.
 */
internal class SteadyCurve private constructor(
    override val rate: Double,
    override val top: Double,
    override val cutAt: Long,
    private val low: Double,
    private val provenAt: Long,
    private val search: Search?,
    private val admitted: Long,
    private val countedFrom: Long,
) : Curve {
    private class Search(val from: Long, val rate: Double)

    fun accepted(answer: Answer, settings: SendRateSettings): SteadyCurve {
        if (!answer.enabled) return this
        val proven = max(provenAt, answer.sentAt)
        val recovery = recoverySeconds(top)
        val age = secondsOf(answer.now - cutAt)
        val isYoung = age < recovery / 2
        val search = search ?: if (hasOutgrown(proven, recovery, settings)) Search(answer.now, rate) else null
        val wanted =
            when {
                search != null -> search.rate * 2.0.pow(secondsOf(max(0, proven - search.from)))
                age < recovery -> top - (top - low) * cube(1 - age / recovery)
                else -> top * (1 + probeScale(settings) * cube(age - recovery))
            }
        val limit = max(settings.beta * top, settings.maxRateOverMeasured * max(answer.admitted, settings.minFillRate))
        val rate = max(min(wanted, limit), settings.minFillRate)
        return SteadyCurve(
            rate = rate,
            top = top,
            cutAt = cutAt,
            low = low,
            provenAt = proven,
            search = if (search != null && wanted > limit) Search(max(search.from, proven), rate) else search,
            admitted = if (isYoung) 0 else admitted + 1,
            countedFrom = if (isYoung) answer.now else countedFrom,
        )
    }

    fun throttled(answer: Answer, settings: SendRateSettings): SteadyCurve {
        if (!answer.enabled) return searching(answer, settings)
        if (answer.sentAt < cutAt) return this
        val beta = settings.beta
        val least = rate * DEEPEST_CUT
        return when {
            search != null -> cut(answer, settings, rate * SEARCH_TOP, beta * answer.admitted.coerceIn(least, rate))

            secondsOf(answer.now - cutAt) < recoverySeconds(top) / 2 -> cut(answer, settings, rate, beta * rate)

            else -> {
                val seen = (admitted + 1) / secondsOf(answer.now - countedFrom)
                val top = seen.coerceIn(least, rate)
                cut(answer, settings, top, beta * top)
            }
        }
    }

    /** The first throttle of all: nothing is known yet, so begin at half of what was admitted lately and search. */
    private fun searching(answer: Answer, settings: SendRateSettings): SteadyCurve {
        val rate = max(settings.minFillRate, max(answer.admitted, answer.admittedLately) / 2)
        return SteadyCurve(rate, rate, answer.now, rate, answer.now, Search(answer.now, rate), 0, answer.now)
    }

    private fun cut(answer: Answer, settings: SendRateSettings, top: Double, low: Double): SteadyCurve {
        val newTop = max(top, settings.minFillRate)
        val newLow = max(low, settings.minFillRate)
        val search = if (newTop <= settings.minFillRate) Search(answer.now, newLow) else null
        return SteadyCurve(newLow, newTop, answer.now, newLow, provenAt, search, 0, answer.now)
    }

    /**
     * Whether the server has accepted more above [top] than a burst would explain. The excess is the integral of the probe
     * until the newest accepted request was sent.
     */
    private fun hasOutgrown(proven: Long, recovery: Double, settings: SendRateSettings): Boolean {
        val probing = secondsOf(proven - cutAt) - recovery
        if (probing <= 0) return false
        val excess = top * probeScale(settings) * cube(probing) * probing / 4
        return excess > max(BURST_ATTEMPTS, BURST_SECONDS * top)
    }

    private fun probeScale(settings: SendRateSettings) = settings.scale * min(1.0, top / GENTLE_BELOW)

    companion object {
        /** Recovery takes this long, and longer below [GENTLE_BELOW]. Long enough to refill a server's burst allowance. */
        private const val RECOVERY_SECONDS = 4.0

        /** Below this rate a throttle costs a noticeable part of the attempts, so that all goes more slowly. */
        private const val GENTLE_BELOW = 10.0

        /** A server that swallows more than this many attempts above the top, */
        private const val BURST_ATTEMPTS = 0.3

        /** and more than this many seconds' worth of them, has become faster. */
        private const val BURST_SECONDS = 0.15

        /** One cut never takes more than this part's complement, whatever was measured. */
        private const val DEEPEST_CUT = 0.6

        /** A search ends above the server's rate; recovery aims a little lower. */
        private const val SEARCH_TOP = 0.95

        /** Right after a cut a tenth of a second's worth may be saved up for a burst; trust grows with quiet seconds. */
        private const val FIRST_BURST_SECONDS = 0.1
        private const val TRUST_PER_SECOND = 0.01

        /** Goes on from where another rule stands. */
        fun from(other: Curve, now: Long, settings: SendRateSettings): SteadyCurve {
            val rate = max(other.rate, settings.minFillRate)
            return SteadyCurve(rate, max(other.top, rate), other.cutAt, rate, other.cutAt, null, 0, now)
        }

        fun burstSeconds(sinceCut: Long): Double =
            min(1.0, FIRST_BURST_SECONDS + TRUST_PER_SECOND * secondsOf(sinceCut))

        private fun recoverySeconds(top: Double) = RECOVERY_SECONDS * sqrt(max(1.0, GENTLE_BELOW / top))

        private fun cube(x: Double) = x * x * x
    }
}
