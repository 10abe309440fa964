package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.saturatingAdd
import kotlin.math.ceil
import kotlin.math.max
import kotlin.math.min

/**
 * The state of adaptive mode at one moment: whether it limits, how fast it may send, and its measurements.
 *
 * An immutable value; every transition is pure and returns the next one. All times are readings of one monotonic clock
 * in nanoseconds, of any origin. A reading that is older than the newest one seen counts as the newest. A clock that
 * was set back by more than a minute continues from its last value. So no reading makes the state go wrong.
 *
 * The algorithm is the SDKs', step for step; [SendRateSettings.growth] changes only how the rate is cut and raised.
 *
 * ```
 *          first throttled answer, or a hint that little is left
 *   off  ───────────────────────────────────────────────────────>  enabled
 *   permits are free               a permit is a token of a bucket that fills at sendRate
 *        <───────────────────────────────────────────────────────
 *          steady only: no throttle for quietSeconds, and no hint in force
 * ```
 *
 * Every attempt makes two of these, so they are small: values that change with each step are here, the rest in
 * [limiter].
 */
@ShellApi
public class SendRateState private constructor(
    private val limiter: Limiter,
    /** The time of the newest step, which is when there were [level] tokens. */
    private val newest: Long,
    private val level: Double,
    /** The rate that the curve asked for after the last answer. */
    private val wanted: Double,
    private val answers: Long,
    /** When a permit was last taken while another one was left, or [UNLIMITED_NANOS]. */
    private val spareAt: Long,
) {
    /** The state of a client that was started at [startedAt] and has sent nothing. */
    public constructor(settings: SendRateSettings, startedAt: Long) : this(
        limiter = Limiter.startingAt(startedAt, settings),
        newest = Ticks.startingAt(startedAt).at(startedAt, 0),
        level = 0.0,
        wanted = 0.0,
        answers = 0,
        spareAt = UNLIMITED_NANOS,
    )

    /** The constants in force. */
    public val settings: SendRateSettings get() = limiter.settings

    /**
     * Whether permits are limited: from the first throttled answer, or from the first [hint] that says little is
     * left. Under [GrowthRule.STEADY] a limiter goes off again after [SendRateSettings.quietSeconds] without a
     * throttle; under [GrowthRule.CUBIC] never.
     */
    public val enabled: Boolean get() = limiter.enabled || limiter.announced != null

    /** Whether [GrowthRule.STEADY] holds the rate because the last answers were failures. */
    public val isHeld: Boolean get() = limiter.steady?.isHeld == true

    /** The permitted rate, in attempts a second: the rate at which the bucket fills. Zero before the first answer. */
    public val sendRate: Double get() = limiter.rate(learntRate, newest)

    /** The rate that throttles have taught. */
    private val learntRate: Double get() = if (answers == 0L) 0.0 else max(wanted, limiter.inForce.minFillRate)

    /** The measured rate, in answers a second. */
    public val measuredRate: Double get() = limiter.meter.rate

    /** The most send tokens that the bucket can hold. */
    public val capacity: Double get() = if (answers == 0L) 0.0 else limiter.capacity(wanted, newest)

    /** The send tokens that are there at [now]. */
    public fun tokensAt(now: Long): Double = levelAt(ticksAt(now))

    /** As the other [record]; an answer that is not [throttled] is [RateOutcome.ACCEPTED]. */
    public fun record(throttled: Boolean, sentAt: Long, now: Long): SendRateState =
        record(if (throttled) RateOutcome.THROTTLED else RateOutcome.ACCEPTED, sentAt, now)

    /**
     * The state after an answer with that [outcome], which came at [now] to a request that was sent at [sentAt]. While a permit
     * [isAwaited], more permits are kept.
     */
    public fun record(outcome: RateOutcome, sentAt: Long, now: Long, isAwaited: Boolean = false): SendRateState {
        if (isBefore(now)) return goingOnFrom(now).record(outcome, sentAt, now, isAwaited)
        val time = limiter.ticks.at(now, newest)
        val isOver = limiter.announced != null && time >= limiter.endsAt
        if (isOver) return over().record(outcome, sentAt, now, isAwaited)
        val sent = min(limiter.ticks.at(sentAt, Long.MIN_VALUE), time)
        val held = if (outcome == RateOutcome.FAILED) limiter.steady?.failed(time) else null
        val isThrottled = outcome == RateOutcome.THROTTLED
        val count = answers + 1
        val refusals = limiter.refusals + if (isThrottled || held != null) 1 else 0
        val admitted = count - refusals
        val meter = limiter.meter.after(count, admitted, time)
        val curve: Curve
        val rate: Double
        var saved = levelAt(time, isAwaited)
        if (isThrottled) {
            val throttle = Throttle(sent, time, limiter.enabled, learntRate, admitted, meter, wasSpare(sent))
            curve = limiter.curve.throttled(throttle)
            rate = curve.rate(throttle)
        } else if (held != null) {
            curve = held
            rate = wanted
        } else {
            curve = limiter.curve.accepted(sent, time, learntRate, admitted, meter)
            rate = curve.rate(sent, time, learntRate, meter)
            // Half a saved permit has waited for half of an interval that is no more. (Without: up to 0.09 less.)
            if (curve is SteadyCurve && rate < learntRate) saved *= rate / learntRate
        }
        val learnt = limiter.after(limiter.enabled || isThrottled, meter, curve, refusals)
        val level = min(saved, learnt.capacity(rate, time) + kept(isAwaited))
        return SendRateState(learnt, time, level, rate, count, spareAt)
    }

    /**
     * The state after one permit was taken at [now], or null if there is none. A limiter that was quiet long enough goes off.
     * While a permit [isAwaited], only the first caller in line asks, and permits that remain are late, not spare.
     */
    public fun tryTake(now: Long, isAwaited: Boolean = false): SendRateState? {
        if (!enabled) return this
        if (isBefore(now)) return goingOnFrom(now).tryTake(now, isAwaited)
        val time = limiter.ticks.at(now, newest)
        if (time >= limiter.endsAt) return over().tryTake(now, isAwaited)
        val left = levelAt(time, isAwaited) - 1
        if (left < 0) return null
        return at(time, left, if (left < SPARE || isAwaited) spareAt else time)
    }

    /** The state after a permit came back that was taken and never used. While a permit [isAwaited], the bucket may hold more. */
    public fun putBack(isAwaited: Boolean = false): SendRateState {
        if (!enabled) return this
        return at(newest, min(level + 1, capacity + kept(isAwaited)))
    }

    /**
     * The time from [now] until a permit is available if nothing else happens, in nanoseconds; 0 only if one is available at
     * once. With [ahead] other callers to be served first, the time until one is left after them.
     */
    public fun waitNanos(now: Long, ahead: Int = 0): Long {
        require(ahead >= 0) { "ahead must not be negative: $ahead" }
        if (!enabled) return 0
        val time = ticksAt(now)
        if (time >= limiter.endsAt) return over().waitNanos(now, ahead)
        return min(waitFor(ahead + 1.0, time), max(0, limiter.endsAt - time))
    }

    /**
     * The state after the server said at [now] what is left of its limit: how far that steers the rate is said by
     * [SendRateSettings.hints]. The newest hint counts. [GrowthRule.CUBIC] takes no hints.
     */
    public fun hint(hint: RateHint, now: Long): SendRateState {
        if (settings.growth != GrowthRule.STEADY) return this
        if (isBefore(now)) return goingOnFrom(now).hint(hint, now)
        val time = limiter.ticks.at(now, newest)
        val limit = ServerLimit.of(hint, settings.hints, measuredRate, limiter.enabled, time)
        if (limit == null && limiter.announced == null) return this
        val saved = if (enabled) levelAt(time) else 0.0
        // What was saved up at another rate is no more than the server has left.
        val kept = if (limit == null) saved else min(saved, hint.remaining.toDouble())
        return at(time, kept, limiter = limiter.copy(announced = limit))
    }

    /** This state under other [settings], which hold from the next answer on. Measurements and granted permits stay. */
    public fun with(settings: SendRateSettings): SendRateState =
        at(newest, level, limiter = limiter.under(settings, sendRate))

    /** Whether the reading [now] is so old that the clock must have been set back. */
    internal fun isBefore(now: Long): Boolean = limiter.ticks.isSetBack(now, newest)

    /** This state on a clock that now reads [now]. */
    internal fun goingOnFrom(now: Long): SendRateState =
        at(newest, level, limiter = limiter.copy(ticks = Ticks.goingOnFrom(newest, now)))

    override fun toString(): String =
        "SendRateState(enabled=$enabled, sendRate=$sendRate, measuredRate=$measuredRate, capacity=$capacity)"

    /** Whether the request that was sent at [sent] may have followed at once after another one. */
    private fun wasSpare(sent: Long) = spareAt != UNLIMITED_NANOS && sent - spareAt < 2 * SECOND / learntRate

    private fun ticksAt(now: Long): Long = if (isBefore(now)) newest else limiter.ticks.at(now, newest)

    /** The state when what limited is over. A limiter that goes off keeps no permits. */
    private fun over(): SendRateState {
        val time = max(limiter.endsAt, newest)
        val next = limiter.over(time)
        return at(time, if (next.enabled == limiter.enabled) levelAt(time) else 0.0, limiter = next)
    }

    /** This state at [time] with [level] tokens. */
    private fun at(time: Long, level: Double, spareAt: Long = this.spareAt, limiter: Limiter = this.limiter) =
        SendRateState(limiter, time, level, wanted, answers, spareAt)

    /** The bucket begins to fill with the first answer. */
    private fun levelAt(time: Long, isAwaited: Boolean = false): Double =
        if (answers == 0L) level else min(capacity + kept(isAwaited), level + secondsOf(time - newest) * sendRate)

    /** The permits that the bucket keeps beyond its capacity while a permit [isAwaited]. */
    private fun kept(isAwaited: Boolean) = if (isAwaited) sendRate * limiter.lateSeconds else 0.0

    /** Nanoseconds from [time] until [count] tokens are there: never less than is needed. */
    private fun waitFor(count: Double, time: Long): Long {
        val short = count - levelAt(time)
        if (short <= 0) return 0
        val wait = ceil(short / sendRate * SECOND).toLong()
        val arrived = level + secondsOf(saturatingAdd(time - newest, wait)) * sendRate
        // A double carries 53 bits; one part in 2^50 is more than a rounding error.
        return if (arrived >= count) wait else saturatingAdd(wait, 1 + (wait ushr 50))
    }
}

/** So much of a token that is left may be taken sooner than the rate says. */
private const val SPARE = 0.01
