package dev.reprise.core.shell.machine

import dev.reprise.core.StopReason
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.nanosText

/**
 * A decision of [RetryMachine]: the call ends by [Accept] or [GiveUp], or continues in the [RetryState] of its next
 * attempt.
 */
@ShellApi
public sealed interface Decision {
    /** The outcome is good. The call is over. */
    public data object Accept : Decision

    /** The call is over without success. Immutable; compares by value. */
    public class GiveUp internal constructor(
        /** Why. */
        public val reason: StopReason,
        /** How long to wait before the caller is told, in ns: 0 but for a long poll that the quota refused. */
        public val delayNanos: Long = 0,
        /** The exception of code around the call; `null` unless it ended the call. */
        public val thrown: Throwable? = null,
    ) : Decision {
        internal companion object {
            private val plain = StopReason.entries.map { GiveUp(it) }.toTypedArray()

            /** A decision that is told at once. */
            fun because(reason: StopReason): GiveUp = plain[reason.ordinal]
        }

        override fun equals(other: Any?): Boolean =
            other is GiveUp && reason == other.reason && delayNanos == other.delayNanos && thrown == other.thrown

        override fun hashCode(): Int = reason.hashCode() * 31 + delayNanos.hashCode()

        override fun toString(): String = "GiveUp($reason" +
            (if (delayNanos > 0) " after ${nanosText(delayNanos)}" else "") +
            (if (thrown != null) ", ${thrown.javaClass.name})" else ")")
    }
}
