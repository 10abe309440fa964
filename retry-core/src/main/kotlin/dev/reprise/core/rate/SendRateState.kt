package dev.reprise.core.rate

import kotlin.math.max

/**
 * What adaptive mode knows at one moment: whether it limits, how fast it may send, and what it has measured.
 *
 * An immutable value; every transition is pure and returns the next one. All times are readings of one monotonic clock
 * in nanoseconds, of any origin. A reading that is older than the newest one seen counts as the newest, and a clock that was
 * set back by more than a second goes on from where it was; so no reading makes the state go wrong.
 *
 * The algorithm is the one of the SDKs, step for step; what [SendRateSettings.growth] changes is only how the rate is
 * cut and raised.
 *
 * ```
 *            first throttled answer
 *   off  ───────────────────────────>  enabled      (there is no way back: a limiter that is on stays on)
 *   permits are free                   a permit is a token of a bucket that fills at sendRate
 * ```
 */
public class SendRateState private constructor(
    /** The constants in force. */
    public val settings: SendRateSettings,
    /** Whether permits are limited: false until the first throttled answer, true for ever after. */
    public val enabled: Boolean,
    private val ticks: Ticks,
    private val meter: Meter,
    private val curve: Curve,
    private val tokens: SendTokens,
) {
    /** The state of a client that was started at [startedAt] and has sent nothing. */
    public constructor(settings: SendRateSettings, startedAt: Long) :
        this(settings, startedAt, Ticks.startingAt(startedAt))

    private constructor(settings: SendRateSettings, startedAt: Long, ticks: Ticks) : this(
        settings = settings,
        enabled = false,
        ticks = ticks,
        meter = Meter(),
        curve = CubicCurve(rate = 0.0, top = 0.0, cutAt = ticks.newest),
        tokens = SendTokens.NONE,
    )

    /** The permitted rate, in attempts a second: what the bucket fills at. Zero before the first answer. */
    public val sendRate: Double get() = tokens.rate

    /** The measured rate, in answers a second. */
    public val measuredRate: Double get() = meter.rate

    /** The most send tokens that the bucket can hold. */
    public val capacity: Double get() = tokens.capacity

    /** The send tokens that are there at [now]. */
    public fun tokensAt(now: Long): Double = tokens.levelAt(ticks.at(now).newest)

    /**
     * The state after an answer that came at [now] to a request that was sent at [sentAt].
     *
     * [throttled] says whether the server refused the request because there were too many. Every answer counts,
     * whether it was a success or any kind of failure.
     */
    public fun record(throttled: Boolean, sentAt: Long, now: Long): SendRateState {
        val time = ticks.at(now)
        val measured = meter.counting(throttled, time.newest, settings)
        val answer =
            Answer(
                throttled = throttled,
                sentAt = time.since(sentAt),
                now = time.newest,
                enabled = enabled,
                rate = tokens.rate,
                measured = measured.rate,
                admitted = measured.admittedRate,
                admittedLately = measured.admittedLately(settings),
            )
        val next = settings.growth.next(curve, answer, settings)
        val burst = next.rate * settings.growth.burstSeconds(next, time.newest)
        return SendRateState(
            settings = settings,
            enabled = enabled || throttled,
            ticks = time,
            meter = measured,
            curve = next,
            tokens =
            tokens.refilled(
                time.newest,
                rate = max(next.rate, settings.minFillRate),
                capacity = max(burst, settings.minCapacity),
            ),
        )
    }

    /** The state after one permit was taken at [now], or null when there is none; nothing is taken then. */
    public fun tryTake(now: Long): SendRateState? {
        if (!enabled) return this
        val time = ticks.at(now)
        return tokens.take(time.newest)?.let { with(ticks = time, tokens = it) }
    }

    /** The state after a permit came back that was taken and never used. */
    public fun putBack(): SendRateState = if (enabled) with(tokens = tokens.putBack()) else this

    /**
     * How long from [now] until a permit is there if nothing else happens, in nanoseconds, rounded up to a whole number of
     * [tickNanos]; 0 only when one is there at once. With [ahead] other callers to be served first, until one is left.
     */
    public fun waitNanos(now: Long, tickNanos: Long = 1, ahead: Int = 0): Long {
        require(tickNanos > 0) { "tickNanos must be positive, was $tickNanos" }
        require(ahead >= 0) { "ahead must not be negative, was $ahead" }
        if (!enabled) return 0
        val wait = tokens.waitNanos(ticks.at(now).newest, ahead + 1.0)
        val over = wait % tickNanos
        return if (over == 0L) wait else saturatedSum(wait - over, tickNanos)
    }

    /** This state under other [settings]: what was measured and granted stays. */
    public fun with(settings: SendRateSettings): SendRateState =
        SendRateState(settings, enabled, ticks, meter, curve, tokens)

    override fun toString(): String =
        "SendRateState(enabled=$enabled, sendRate=$sendRate, measuredRate=$measuredRate, capacity=$capacity)"

    private fun with(ticks: Ticks = this.ticks, tokens: SendTokens) =
        SendRateState(settings, enabled, ticks, meter, curve, tokens)
}
