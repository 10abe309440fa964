package dev.reprise.core

/** What the machine works with: the state to go on from, or the decision that ends the call. */
internal sealed interface Step

/** A decision that ends the call. */
internal sealed interface Ending : Step {
    val reason: StopReason
    val delayNanos: Long
}

/** What [RetryMachine] decides after an attempt. */
public sealed class Decision {
    /** The state to go on from; [RetryState.ENDED] if the call is over. */
    public abstract val next: RetryState

    /** The outcome is good; the call is over. */
    public object Accept : Decision(), Ending {
        override val reason: StopReason get() = StopReason.SUCCESS
        override val delayNanos: Long get() = 0
        override val next: RetryState get() = RetryState.ENDED

        override fun toString(): String = "Accept"
    }

    /** Wait, then make another attempt. */
    public class RetryAfter internal constructor(
        /** The wait in ns, not negative. */
        public val delayNanos: Long,
        override val next: RetryState,
    ) : Decision() {
        override fun equals(other: Any?): Boolean =
            other is RetryAfter && delayNanos == other.delayNanos && next == other.next

        override fun hashCode(): Int = delayNanos.hashCode() * 31 + next.hashCode()

        override fun toString(): String = "RetryAfter($delayNanos ns, $next)"
    }

    /** The call is over; what the last attempt gave goes to the caller. */
    public class GiveUp internal constructor(
        /** Why. */
        override val reason: StopReason,
        /** How long to wait before the caller is told, in ns: 0 but for a long poll that the quota refused. */
        override val delayNanos: Long,
    ) : Decision(),
        Ending {
        override val next: RetryState get() = RetryState.ENDED

        override fun equals(other: Any?): Boolean =
            other is GiveUp && reason == other.reason && delayNanos == other.delayNanos

        override fun hashCode(): Int = reason.hashCode() * 31 + delayNanos.hashCode()

        override fun toString(): String =
            if (delayNanos == 0L) "GiveUp($reason)" else "GiveUp($reason after $delayNanos ns)"

        internal companion object {
            private val atOnce = StopReason.entries.map { GiveUp(it, 0) }

            /** The decision to give up for [reason] without a wait. */
            fun of(reason: StopReason): GiveUp = atOnce[reason.ordinal]
        }
    }
}
