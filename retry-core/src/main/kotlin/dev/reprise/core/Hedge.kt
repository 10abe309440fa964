package dev.reprise.core

import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * Experimental. Sends a copy of a slow first attempt: while the first execution is still under way, the work runs a second time, and
 * the first accepted outcome wins. The block then runs twice **at once**, so only work that may be repeated is copied.
 *
 * The delay before the copy is learnt for each retrier and operation: four fifths of [maxExtraLoad] of the recent calls
 * took longer. It is at least 1 ms. Until 100 calls have been seen, no copy is sent. [after] sets a fixed delay
 * instead.
 *
 * A copy must be allowed by three limits: a budget of [maxExtraLoad] copies for each call, the retry quota, which must
 * be half full, and a send permit. If one of them refuses, no copy is sent and the call goes on with its first attempt.
 *
 * Immutable; compares by value.
 */
@ExperimentalReprise
public class Hedge private constructor(
    /** How many copies are sent at most, for each call on average: above 0, at most 1. */
    public val maxExtraLoad: Double,
    /** The delay before a copy, in ns; 0 if it is learnt. */
    internal val afterNanos: Long,
) {
    /** Copies after a delay that is learnt. */
    @JvmOverloads
    public constructor(maxExtraLoad: Double = DEFAULT_EXTRA_LOAD) : this(maxExtraLoad, LEARNT)

    init {
        require(maxExtraLoad > 0 && maxExtraLoad <= 1) {
            "hedge.maxExtraLoad must be above 0 and at most 1: $maxExtraLoad"
        }
    }

    /** Whether the delay is learnt. */
    internal val isLearnt: Boolean get() = afterNanos == LEARNT

    override fun equals(other: Any?): Boolean =
        other is Hedge && maxExtraLoad == other.maxExtraLoad && afterNanos == other.afterNanos

    override fun hashCode(): Int = maxExtraLoad.hashCode() * 31 + afterNanos.hashCode()

    override fun toString(): String =
        "hedge(at most $maxExtraLoad copies a call" + (if (isLearnt) ")" else ", after ${nanosText(afterNanos)})")

    public companion object {
        private const val DEFAULT_EXTRA_LOAD = 0.02
        private const val LEARNT = 0L

        /** A copy after [delay], for at most [maxExtraLoad] of the calls. */
        @JvmSynthetic
        public fun after(delay: Duration, maxExtraLoad: Double = DEFAULT_EXTRA_LOAD): Hedge =
            afterNanos(delay.toNanos(), maxExtraLoad)

        /** A copy after [delay], for at most [maxExtraLoad] of the calls. For Java. */
        @JvmStatic
        @JvmOverloads
        public fun after(delay: JavaDuration, maxExtraLoad: Double = DEFAULT_EXTRA_LOAD): Hedge =
            afterNanos(delay.toNanosSaturated(), maxExtraLoad)

        private fun afterNanos(nanos: Long, maxExtraLoad: Double): Hedge {
            require(nanos > 0) { "hedge.after must be above zero: ${nanosText(nanos)}" }
            return Hedge(maxExtraLoad, nanos)
        }
    }
}
