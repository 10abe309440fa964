package dev.reprise.core.rate

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.time.saturatingAdd
import kotlin.math.ceil
import kotlin.math.max
import kotlin.math.min

/**
 * What adaptive mode knows at one moment: whether it limits, how fast it may send, and what it has measured.
 *
 * An immutable value; every transition is pure and returns the next one. All times are readings of one monotonic
 * clock in nanoseconds, of any origin. A reading that is older than the newest one seen counts as the newest, and a
 * clock that was set back by more than a minute goes on from where it was; so no reading makes the state go wrong.
 *
 * The algorithm is the one of the SDKs, step for step; what [SendRateSettings.growth] changes is only how the rate is
 * cut and raised.
 *
 * ```
 *          first throttled answer, or a hint that little is left
 *   off  ───────────────────────────────────────────────────────>  enabled
 *   permits are free               a permit is a token of a bucket that fills at sendRate
 *        <───────────────────────────────────────────────────────
 *          steady only: no throttle for quietSeconds, and no hint in force
 * ```
 *
 * Every attempt makes two of these, so they are small: what changes with each step stands here, what changes with a
 * throttle or with an edge of the measuring bucket in [known].
 */
@ShellApi
public class SendRateState private constructor(
    private val known: Known,
    /** The time of the newest step, which is when there were [level] tokens. */
    private val newest: Long,
    private val level: Double,
    /** The rate that the curve asked for after the last answer. */
    private val wanted: Double,
    private val marks: Marks,
) {
    /** The state of a client that was started at [startedAt] and has sent nothing. */
    public constructor(settings: SendRateSettings, startedAt: Long) :
        this(settings, startedAt, Ticks.startingAt(startedAt))

    private constructor(settings: SendRateSettings, startedAt: Long, ticks: Ticks) : this(
        known = Known.nothing(settings, ticks, ticks.at(startedAt, 0)),
        newest = ticks.at(startedAt, 0),
        level = 0.0,
        wanted = 0.0,
        marks = Marks(0),
    )

    private val answers: Long get() = marks.answers

    /** The constants in force. */
    public val settings: SendRateSettings get() = known.settings

    /**
     * Whether permits are limited: from the first throttled answer, or from the first [hint] that says little is
     * left. Under [GrowthRule.STEADY] a limiter goes off again after [SteadySettings.quietSeconds] without a
     * throttle; under [GrowthRule.CUBIC] never.
     */
    public val enabled: Boolean get() = known.enabled || known.steer != null

    /**
     * Whether [GrowthRule.STEADY] holds the rate because the last answers were failures, which say nothing about
     * capacity.
     */
    public val isHeld: Boolean get() = known.curve.isHeld

    /** The permitted rate, in attempts a second: what the bucket fills at. Zero before the first answer. */
    public val sendRate: Double get() {
        val steer = known.steer
        return if (steer == null || newest >= steer.until) learntRate else steer.over(known.rateOrNone(learntRate))
    }

    /** The rate that throttles have taught. */
    private val learntRate: Double get() = if (answers == 0L) 0.0 else max(wanted, known.inForce.minFillRate)

    /** The measured rate, in answers a second. */
    public val measuredRate: Double get() = known.meter.rate

    /** The most send tokens that the bucket can hold. */
    public val capacity: Double get() = if (answers == 0L) 0.0 else known.capacity(wanted, newest)

    /** The send tokens that are there at [now]. */
    public fun tokensAt(now: Long): Double = levelAt(ticksAt(now))

    /** As the other [record]; an answer that is not [throttled] is [Answer.ACCEPTED]. */
    public fun record(throttled: Boolean, sentAt: Long, now: Long): SendRateState =
        record(if (throttled) Answer.THROTTLED else Answer.ACCEPTED, sentAt, now)

    /** The state after an [answer] that came at [now] to a request that was sent at [sentAt]. */
    public fun record(answer: Answer, sentAt: Long, now: Long): SendRateState =
        record(answer, sentAt, now, unrecorded = 0, isAwaited = false)

    /**
     * The state after that response, and after as many accepted ones as are [unrecorded], which came shortly before it.
     * While a permit [isAwaited], more of what came due is kept.
     */
    internal fun record(answer: Answer, sentAt: Long, now: Long, unrecorded: Int, isAwaited: Boolean): SendRateState {
        if (isBefore(now)) return goingOnFrom(now).record(answer, sentAt, now, unrecorded, isAwaited)
        val time = known.ticks.at(now, newest)
        if (known.steer != null && isOverAt(time)) return over().record(answer, sentAt, now, unrecorded, isAwaited)
        val sent = min(known.ticks.at(sentAt, Long.MIN_VALUE), time)
        val held = if (answer == Answer.FAILED) known.curve.failed(time) else null
        val count = answers + 1 + unrecorded
        val refusals = if (answer == Answer.THROTTLED || held != null) known.refusals + 1 else known.refusals
        val admitted = count - refusals
        val meter = known.meter.after(count, admitted, time, settings)
        val curve: Curve
        val rate: Double
        var saved = levelAt(time, isAwaited)
        if (answer == Answer.THROTTLED) {
            val throttle = Throttle(sent, time, known.enabled, learntRate, admitted, meter, wasSpare(sent))
            curve = known.curve.throttled(throttle)
            rate = curve.rate(throttle)
        } else if (held != null) {
            curve = held
            rate = wanted
        } else {
            curve = known.curve.accepted(sent, time, learntRate, admitted, meter)
            rate = curve.rate(sent, time, learntRate, meter)
            saved *= curve.worthOfSaved(learntRate, rate)
        }
        val learnt = known.with(known.enabled || answer == Answer.THROTTLED, meter, curve, refusals)
        val level = min(saved, learnt.capacity(rate, time) + kept(isAwaited))
        return SendRateState(learnt, time, level, rate, marks.answered(1 + unrecorded, time))
    }

    /**
     * The state after one permit was taken at [now], or null when there is none; nothing is taken then. A limiter
     * that has been quiet for long enough goes off here.
     */
    public fun tryTake(now: Long): SendRateState? = tryTake(now, permits = 1, isAwaited = false)

    /**
     * The state after so many [permits] were taken together, or null if there are not as many. While a permit
     * [isAwaited], only the first caller in line asks, and permits that remain are late, not spare.
     */
    internal fun tryTake(now: Long, permits: Int, isAwaited: Boolean): SendRateState? {
        if (!enabled) return this
        if (isBefore(now)) return goingOnFrom(now).tryTake(now, permits, isAwaited)
        val time = known.ticks.at(now, newest)
        if (isOverAt(time)) return over().tryTake(now, permits, isAwaited)
        val left = levelAt(time, isAwaited) - permits
        if (left < 0) return null
        return SendRateState(known, time, left, wanted, if (left < SPARE || isAwaited) marks else marks.spareAt(time))
    }

    /** How many permits may be taken together at [now], while no caller waits: one unless there are many more. */
    internal fun bundleAt(now: Long): Int {
        if (!enabled || settings.growth != GrowthRule.STEADY) return 1
        val ofLevel = levelAt(ticksAt(now)) / Bundle.PART
        return min(min(ofLevel, sendRate * secondsOf(Bundle.NANOS)), Bundle.MOST.toDouble()).toInt().coerceAtLeast(1)
    }

    /** Whether an accepted answer changes nothing that cannot wait: nothing is to be decided by it. */
    internal val isCalm: Boolean get() = known.steer == null && known.curve.isCalm

    /** The state after a permit came back that was taken and never used. */
    public fun putBack(): SendRateState = putBack(permits = 1, isAwaited = false)

    /** The state after so many [permits] came back. While one [isAwaited], the bucket may hold more. */
    internal fun putBack(permits: Int, isAwaited: Boolean): SendRateState {
        if (!enabled) return this
        return SendRateState(known, newest, min(level + permits, capacity + kept(isAwaited)), wanted, marks)
    }

    /** The state after so many [permits] of a bundle came back at [now], when they were not needed. */
    internal fun leftOver(permits: Int, now: Long): SendRateState {
        if (!enabled || isBefore(now)) return this
        val back = putBack(permits, isAwaited = false)
        return SendRateState(known, newest, back.level, wanted, marks.spareAt(ticksAt(now)))
    }

    /**
     * How long from [now] until a permit is there if nothing else happens, in nanoseconds, rounded up to a whole
     * number of [tickNanos]; 0 only when one is there at once. With [ahead] other callers to be served first, until
     * one is left.
     */
    public fun waitNanos(now: Long, tickNanos: Long = 1, ahead: Int = 0): Long {
        require(tickNanos > 0) { "tickNanos must be positive, was $tickNanos" }
        require(ahead >= 0) { "ahead must not be negative, was $ahead" }
        if (!enabled) return 0
        val time = ticksAt(now)
        if (isOverAt(time)) return over().waitNanos(now, tickNanos, ahead)
        val wait = min(waitFor(ahead + 1.0, time), max(0, endsAt - time))
        val over = wait % tickNanos
        return if (over == 0L) wait else saturatingAdd(wait - over, tickNanos)
    }

    /**
     * The state after the server said at [now] what is left of its limit: how far that steers the rate is said by
     * [SteadySettings.hints]. The newest hint counts. [GrowthRule.CUBIC] takes no hints.
     */
    public fun hint(hint: RateHint, now: Long): SendRateState {
        if (settings.growth != GrowthRule.STEADY) return this
        if (isBefore(now)) return goingOnFrom(now).hint(hint, now)
        val time = known.ticks.at(now, newest)
        val steer = Steer.of(hint, settings.steady.hints, measuredRate, known.enabled, time)
        if (steer == null && known.steer == null) return this
        val kept = if (enabled) levelAt(time) else 0.0
        return SendRateState(known.steeredBy(steer), time, kept, wanted, marks)
    }

    /** This state under other [settings], which hold from the next answer on; what was measured and granted stays. */
    public fun with(settings: SendRateSettings): SendRateState =
        SendRateState(known.under(settings, sendRate), newest, level, wanted, marks)

    /** Whether the reading [now] is so old that the clock must have been set back. */
    internal fun isBefore(now: Long): Boolean = known.ticks.isSetBack(now, newest)

    /** This state on a clock that now reads [now]. */
    internal fun goingOnFrom(now: Long): SendRateState =
        SendRateState(known.on(Ticks.goingOnFrom(newest, now)), newest, level, wanted, marks)

    override fun toString(): String =
        "SendRateState(enabled=$enabled, sendRate=$sendRate, measuredRate=$measuredRate, capacity=$capacity)"

    /** Whether the request that was sent at [sent] may have followed at once after another one. */
    private fun wasSpare(sent: Long) = marks.wasSpare(sent, 2 * NANOS_PER_SECOND / learntRate)

    private fun ticksAt(now: Long): Long = if (isBefore(now)) newest else known.ticks.at(now, newest)

    /** When the limiter, or the server's word, is over if nothing else happens. */
    private val endsAt: Long get() = min(known.curve.quietAt, known.steer?.until ?: Long.MAX_VALUE)

    private fun isOverAt(time: Long) = time >= endsAt

    /** The state at [endsAt], when something that limited is over. */
    private fun over(): SendRateState {
        val time = max(endsAt, newest)
        if (known.curve.quietAt <= time) return SendRateState(known.off(), time, 0.0, wanted, marks)
        return SendRateState(known.steeredBy(null), time, levelAt(time), wanted, marks)
    }

    /** The bucket begins to fill with the first answer. */
    private fun levelAt(time: Long, isAwaited: Boolean = false): Double =
        if (answers == 0L) level else min(capacity + kept(isAwaited), level + secondsOf(time - newest) * sendRate)

    /** What the bucket keeps beyond its capacity while a permit [isAwaited]. */
    private fun kept(isAwaited: Boolean) = if (isAwaited) sendRate * known.curve.lateSeconds else 0.0

    /**
     * Nanoseconds from [time] until [count] tokens have come in, at least until one is there: never less than is
     * needed.
     */
    private fun waitFor(count: Double, time: Long): Long {
        val short = count - levelAt(time)
        if (short <= 0) return 0
        val wait = ceil(short / sendRate * NANOS_PER_SECOND).toLong()
        val arrived = level + secondsOf(saturatingAdd(time - newest, wait)) * sendRate
        return if (arrived >= count) wait else saturatingAdd(wait, 1 + (wait ushr ROUNDING_BITS))
    }

    private companion object {
        /** A double carries 53 bits; one part in 2^50 is more than a rounding error. */
        const val ROUNDING_BITS = 50

        /** So much of a token that is left may be taken sooner than the rate says. */
        const val SPARE = 0.01
    }
}
