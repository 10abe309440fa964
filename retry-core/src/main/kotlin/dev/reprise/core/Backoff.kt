package dev.reprise.core

import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import java.util.function.Function
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import java.time.Duration as JavaDuration

/**
 * How long to wait before a retry.
 *
 * Implementations are immutable, compare by value (except a [custom] function) and are exact for every retry index up
 * to `Int.MAX_VALUE`. The arithmetic saturates and truncates to whole nanoseconds once, at the end. State that one call
 * must remember, such as the previous delay, is kept by the call and passed in.
 */
public sealed class Backoff {
    /**
     * The largest delay in ns that [delayNanos] can give before the retry with this [retryIndex] (0 before the second
     * attempt) after a failure of [kind].
     */
    internal abstract fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long

    /**
     * The delay in ns, not negative; or [STOP] if there shall be no retry. [previousNanos] is the delay before the last
     * attempt, negative if there was none.
     */
    internal abstract fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long

    /** The user's function for the delay after a failure of [kind], or `null` if there is none. */
    internal open fun customFor(kind: FailureKind): CustomBackoff? = null

    internal fun requireNanos(name: String, nanos: Long): Unit = require(nanos >= 0) {
        "$name must not be negative: ${nanosText(nanos)}"
    }

    public companion object {
        /** The result of [delayNanos] for no retry. */
        internal const val STOP: Long = -1

        /** The backoff of standard mode 2.1: `u * min(base * 2^i, 20 s)`, base 50 ms, 1 s for throttling. */
        @JvmField
        public val STANDARD: Backoff =
            ExponentialBackoff(50 * MILLI, 1_000 * MILLI, factor = 2.0, 20_000 * MILLI, Jitter.FULL, firstExponent = 0)

        /** No wait at all. */
        @JvmField
        public val IMMEDIATE: Backoff = FixedBackoff(0)

        /** Always [delay]. */
        @JvmSynthetic
        public fun fixed(delay: Duration, jitter: Jitter = Jitter.NONE): Backoff = FixedBackoff(delay.toNanos(), jitter)

        /** Always [delay]. */
        @JvmStatic
        public fun fixed(delay: JavaDuration): Backoff = fixed(delay, Jitter.NONE)

        /** Always [delay]. */
        @JvmStatic
        public fun fixed(delay: JavaDuration, jitter: Jitter): Backoff = FixedBackoff(delay.toNanosSaturated(), jitter)

        /** [base], then [step] more with every retry, at most [cap]. */
        @JvmSynthetic
        public fun linear(
            base: Duration,
            step: Duration = base,
            cap: Duration = Duration.INFINITE,
            jitter: Jitter = Jitter.NONE,
        ): Backoff = LinearBackoff(base.toNanos(), step.toNanos(), cap.toNanos(), jitter)

        /** [base], then [step] more with every retry, at most [cap]. */
        @JvmStatic
        public fun linear(base: JavaDuration, step: JavaDuration, cap: JavaDuration): Backoff =
            linear(base, step, cap, Jitter.NONE)

        /** [base], then [step] more with every retry, at most [cap]. */
        @JvmStatic
        public fun linear(base: JavaDuration, step: JavaDuration, cap: JavaDuration, jitter: Jitter): Backoff =
            LinearBackoff(base.toNanosSaturated(), step.toNanosSaturated(), cap.toNanosSaturated(), jitter)

        /** [base], growing by [factor] with every retry to at most [cap]; the exponent of the first retry is [firstExponent], 0 or 1. */
        @JvmSynthetic
        public fun exponential(
            base: Duration,
            throttlingBase: Duration = base,
            factor: Double = 2.0,
            cap: Duration = 20.seconds,
            jitter: Jitter = Jitter.FULL,
            firstExponent: Int = 0,
        ): Backoff =
            ExponentialBackoff(base.toNanos(), throttlingBase.toNanos(), factor, cap.toNanos(), jitter, firstExponent)

        /** [base], doubling with every retry to at most [cap]. */
        @JvmStatic
        public fun exponential(base: JavaDuration, cap: JavaDuration): Backoff =
            exponential(base, cap, 2.0, Jitter.FULL)

        /** [base], growing by [factor] with every retry to at most [cap]. */
        @JvmStatic
        public fun exponential(base: JavaDuration, cap: JavaDuration, factor: Double, jitter: Jitter): Backoff =
            exponential(base, cap, factor, jitter, base, 0)

        /** [exponential] with another base after throttling; the exponent of the first retry is [firstExponent], 0 or 1. */
        @JvmStatic
        public fun exponential(
            base: JavaDuration,
            cap: JavaDuration,
            factor: Double,
            jitter: Jitter,
            throttlingBase: JavaDuration,
            firstExponent: Int,
        ): Backoff = ExponentialBackoff(
            base.toNanosSaturated(),
            throttlingBase.toNanosSaturated(),
            factor,
            cap.toNanosSaturated(),
            jitter,
            firstExponent,
        )

        /** Decorrelated jitter: `min(cap, uniform(base, 3 * previous))`, where `previous` starts at the base. */
        @JvmSynthetic
        public fun decorrelated(base: Duration, cap: Duration = 20.seconds): Backoff =
            DecorrelatedBackoff(base.toNanos(), cap.toNanos())

        /** Decorrelated jitter: `min(cap, uniform(base, 3 * previous))`, where `previous` starts at the base. */
        @JvmStatic
        public fun decorrelated(base: JavaDuration, cap: JavaDuration): Backoff =
            DecorrelatedBackoff(base.toNanosSaturated(), cap.toNanosSaturated())

        /** [transient] after transient failures and timeouts, [throttling] after throttling. */
        @JvmStatic
        public fun perKind(transient: Backoff, throttling: Backoff): Backoff = PerKindBackoff(transient, throttling)

        /**
         * Asks [function] for the delay of each retry; `null` stops. Many threads call it at once; it must not block.
         */
        @JvmSynthetic
        public fun custom(function: (NextRetry) -> Duration?): Backoff = custom(Jitter.NONE, function)

        /** [jitter] below what [function] returns for each retry; `null` stops. Called by many threads at once. */
        @JvmSynthetic
        public fun custom(jitter: Jitter, function: (NextRetry) -> Duration?): Backoff =
            CustomBackoff(function, jitter) { retry -> function(retry)?.toNanos() }

        /**
         * Asks [function] for the delay of each retry; `null` stops. Many threads call it at once; it must not block.
         */
        @JvmStatic
        public fun custom(function: Function<NextRetry, JavaDuration?>): Backoff = custom(Jitter.NONE, function)

        /** [jitter] below what [function] returns for each retry; `null` stops. Called by many threads at once. */
        @JvmStatic
        public fun custom(jitter: Jitter, function: Function<NextRetry, JavaDuration?>): Backoff =
            CustomBackoff(function, jitter) { retry -> function.apply(retry)?.toNanosSaturated() }
    }
}
