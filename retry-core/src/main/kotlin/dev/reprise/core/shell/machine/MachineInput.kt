package dev.reprise.core.shell.machine

import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi

/** A shell's report to [RetryMachine]. Only reports change a call's state. */
@ShellApi
public sealed interface MachineInput {
    /** The attempt ended, and its outcome means [verdict]. */
    public class Judged(
        /** The verdict on the outcome. */
        public val verdict: Verdict,
        /** The attempt's exception, or `null` if it returned [result]. For backoffs that depend on it. */
        public val failure: Throwable? = null,
        /** The attempt's result, or `null` if it threw [failure]. */
        public val result: Any? = null,
    ) : MachineInput {
        override fun toString(): String = "Judged($verdict)"
    }

    /** The call ends for a [reason] that is no outcome of an attempt. */
    public class Stopped internal constructor(
        /** Why: no permit, no time, unpaid tokens, work that may not be repeated, the caller, or [thrown]. */
        public val reason: StopReason,
        /** Whether the attempt of the state has begun; otherwise the call was before it. */
        public val inAttempt: Boolean = false,
        /** The exception of code around the call (classifier, discard, waiter, executor, clock, ...). */
        public val thrown: Throwable? = null,
    ) : MachineInput {
        override fun toString(): String =
            listOfNotNull(reason, "in attempt".takeIf { inAttempt }, thrown?.javaClass?.name)
                .joinToString(", ", "Stopped(", ")")
    }

    public companion object {
        /** There is no send permit for the next attempt, and the policy does not wait for one (that long). */
        public val NO_PERMIT: MachineInput = Stopped(StopReason.RATE_LIMITED)

        /** A [shared quota][dev.reprise.core.shell.quota.SharedQuota] could not pay for the retry. */
        internal val UNPAID = Stopped(StopReason.QUOTA)

        /** The policy would retry, and the work may not be repeated. */
        internal val NOT_REPLAYABLE = Stopped(StopReason.NOT_REPLAYABLE, inAttempt = true)
    }
}

/** A copy of the first attempt is due, and is sent if it is paid for at once. */
internal data object CopyDue : MachineInput

/** The work of a call, which knows whether it may be repeated. */
@ShellApi
public fun interface Repeatable {
    /**
     * Whether another attempt may follow the one that has just ended. Called once after each attempt that the policy would
     * retry, before that is paid for, and after no other; `false` ends the call. An exception ends the call too.
     */
    public fun mayRepeat(): Boolean
}
