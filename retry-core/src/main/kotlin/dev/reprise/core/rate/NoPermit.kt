package dev.reprise.core.rate

import kotlin.time.Duration

/**
 * What a call does when adaptive mode has no send permit for its next attempt.
 *
 * A refusal takes no send token and no quota, and ends the call with the reason "rate limited".
 */
public sealed interface NoPermit {
    /** Wait in line, as long as it takes. The call's deadline still bounds the wait. */
    public data object Wait : NoPermit

    /** Refuse at once. */
    public data object Fail : NoPermit

    /** Wait in line for at most [nanos]; refuse at once when the wait that is foreseen is longer. */
    public class WaitAtMost(
        /** The longest wait, in nanoseconds, not negative. */
        public val nanos: Long,
    ) : NoPermit {
        init {
            require(nanos >= 0) { "nanos must not be negative, was $nanos" }
        }

        override fun equals(other: Any?): Boolean = other is WaitAtMost && nanos == other.nanos

        override fun hashCode(): Int = nanos.hashCode()

        override fun toString(): String = "WaitAtMost(nanos=$nanos)"
    }

    public companion object {
        /** [WaitAtMost] of [duration]; one that is too long for nanoseconds becomes the longest there is. */
        @JvmSynthetic
        public fun waitAtMost(duration: Duration): NoPermit = WaitAtMost(duration.inWholeNanoseconds)

        /** [WaitAtMost] of [duration]; one that is too long for nanoseconds becomes the longest there is. */
        @JvmStatic
        public fun waitAtMost(duration: java.time.Duration): NoPermit = WaitAtMost(
            try {
                duration.toNanos()
            } catch (_: ArithmeticException) {
                if (duration.isNegative) -1 else Long.MAX_VALUE
            },
        )
    }
}
