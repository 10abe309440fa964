package dev.reprise.core

import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import java.util.function.Predicate
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * How to poll: the wait between looks, and how long to go on. Immutable; compares by value.
 *
 * A look that finds nothing yet is followed by the interval, one that was throttled by four intervals, at least 1 s. A
 * server's delay is followed as the retrier's policy says. There is no quota and no limit to the number of looks:
 * the deadline ends a poll, or the caller.
 */
public class Polling private constructor(
    private val intervalNanos: Long,
    private val capNanos: Long,
    private val deadlineNanos: Long,
) {
    init {
        require(intervalNanos > 0) { "interval must be above zero: ${nanosText(intervalNanos)}" }
        require(capNanos >= intervalNanos) {
            "cap must not be below the interval of ${nanosText(intervalNanos)}: ${nanosText(capNanos)}"
        }
        require(deadlineNanos > intervalNanos) { "deadline must be above the interval: ${nanosText(deadlineNanos)}" }
    }

    /** This, with an interval that doubles from look to look, up to [cap]. */
    @JvmSynthetic
    public fun growingTo(cap: Duration): Polling = Polling(intervalNanos, cap.toNanos(), deadlineNanos)

    /** This, with an interval that doubles from look to look, up to [cap]. */
    public fun growingTo(cap: JavaDuration): Polling = Polling(intervalNanos, cap.toNanosSaturated(), deadlineNanos)

    /**
     * The policy of a poll whose looks are otherwise calls under [base], of which it keeps how exceptions are judged, the
     * attempt timeout, the hedge and the send rate. A result for which [isGood] says false is not accepted; a poll that ends without a
     * good one throws.
     */
    internal fun policyFor(base: RetryPolicy, isGood: Predicate<Any?>): RetryPolicy = base.with {
        isPoll = true
        unlimitedAttempts()
        backoff = waits()
        noQuota()
        deadlineNanos = this@Polling.deadlineNanos
        stopAfterNanos = UNLIMITED_NANOS
        hedge = hedge?.takeIf { it.afterNanos < deadlineNanos }
        onBadResult = OnBadResult.THROW
        // The next look is no repetition of the last one.
        whenRetriedBelow = WhenRetriedBelow.RETRY
        onResult { if (isGood.test(it)) Verdict.Accept else NOT_YET }
    }

    private fun waits(): Backoff {
        val throttled = if (intervalNanos > Long.MAX_VALUE / 4) Long.MAX_VALUE else intervalNanos * 4
        return Backoff.perKind(growing(intervalNanos), growing(throttled.coerceAtLeast(SECOND)))
    }

    /** Waits that begin with [nanos] and grow as the interval does, so that a throttle is never followed by the shorter one. */
    private fun growing(nanos: Long): Backoff = if (capNanos == intervalNanos) {
        FixedBackoff(nanos)
    } else {
        ExponentialBackoff(nanos, capNanos = maxOf(nanos, capNanos), jitter = Jitter.NONE)
    }

    override fun equals(other: Any?): Boolean =
        other is Polling && intervalNanos == other.intervalNanos && capNanos == other.capNanos &&
            deadlineNanos == other.deadlineNanos

    override fun hashCode(): Int = (intervalNanos.hashCode() * 31 + capNanos.hashCode()) * 31 + deadlineNanos.hashCode()

    override fun toString(): String = "every ${nanosText(intervalNanos)}" +
        (if (capNanos > intervalNanos) ", growing to ${nanosText(capNanos)}" else "") +
        if (deadlineNanos == UNLIMITED_NANOS) "" else ", for ${nanosText(deadlineNanos)}"

    public companion object {
        private val NOT_YET = Verdict.Retry(FailureKind.TRANSIENT, "not yet")

        /**
         * A look every [interval] until [deadline] has passed since the first one began; no wait is begun that would cross
         * it. [Duration.INFINITE] for a poll that only its caller ends, or the work that it is part of.
         */
        @JvmSynthetic
        public fun every(interval: Duration, deadline: Duration): Polling =
            Polling(interval.toNanos(), interval.toNanos(), deadline.toNanos())

        /**
         * A look every [interval] until [deadline] has passed since the first one began; no wait is begun that would cross
         * it. `null` for a poll that only its caller ends, or the work that it is part of.
         */
        @JvmStatic
        public fun every(interval: JavaDuration, deadline: JavaDuration?): Polling = Polling(
            interval.toNanosSaturated(),
            interval.toNanosSaturated(),
            deadline?.toNanosSaturated() ?: UNLIMITED_NANOS,
        )
    }
}
