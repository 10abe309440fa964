package dev.reprise.core.machine

import dev.reprise.core.classify.Verdict
import dev.reprise.core.shell.ShellApi

/** What a shell reports to [RetryMachine]. Nothing else moves a call. */
@ShellApi
public sealed interface MachineInput {
    /** The attempt ended, and its outcome means [verdict]. */
    public class Judged internal constructor(
        /** What the outcome means. */
        public val verdict: Verdict,
        /** What the attempt threw, or `null` if it returned [result]. For backoffs that look at it. */
        public val failure: Throwable?,
        /** What the attempt returned, or `null` if it threw [failure]. */
        public val result: Any?,
        /** Asked whether it may be repeated before a retry is paid for; `null` if it always may. */
        internal val work: Repeatable?,
    ) : MachineInput {
        /** The attempt ended with [failure] or [result], which means [verdict]. */
        public constructor(
            verdict: Verdict,
            failure: Throwable?,
            result: Any?,
        ) : this(verdict, failure, result, work = null)

        /** The attempt ended, and its outcome, which no backoff looks at, means [verdict]. */
        public constructor(verdict: Verdict) : this(verdict, failure = null, result = null)

        override fun toString(): String = "Judged($verdict)"

        internal companion object {
            val ACCEPTED = Judged(Verdict.Accept)
        }
    }

    /** The deadline had passed when the call began. */
    public object TooLate : MachineInput {
        override fun toString(): String = "TooLate"
    }

    /** There is no send permit for the next attempt, and the policy does not wait for one (that long). */
    public object NoPermit : MachineInput {
        override fun toString(): String = "NoPermit"
    }

    /** The wait before the next attempt is over. */
    public object Waited : MachineInput {
        override fun toString(): String = "Waited"
    }

    /** The caller no longer wants the call. */
    public class Cancelled internal constructor(
        /** Whether the attempt of the state has begun; otherwise the call was between two attempts. */
        public val inAttempt: Boolean,
    ) : MachineInput {
        override fun toString(): String = if (inAttempt) "Cancelled(in attempt)" else "Cancelled(before attempt)"
    }

    /** Code around the call (classifier, discard, waiter, executor, clock, ...) threw instead of doing its part. */
    public class Broken(
        /** What it threw. */
        public val thrown: Throwable,
        /** Whether the attempt of the state has begun; otherwise the call was between two attempts. */
        public val inAttempt: Boolean,
    ) : MachineInput {
        override fun toString(): String = "Broken(${thrown.javaClass.name})"
    }

    public companion object {
        /** The caller cancelled while the attempt ran, or right after it. */
        @JvmField
        public val CANCELLED_IN_ATTEMPT: MachineInput = Cancelled(inAttempt = true)

        /** The caller cancelled before the attempt began: in the wait, in the line, or between. */
        @JvmField
        public val CANCELLED_BEFORE_ATTEMPT: MachineInput = Cancelled(inAttempt = false)

        internal fun cancelled(inAttempt: Boolean) = if (inAttempt) CANCELLED_IN_ATTEMPT else CANCELLED_BEFORE_ATTEMPT
    }
}
