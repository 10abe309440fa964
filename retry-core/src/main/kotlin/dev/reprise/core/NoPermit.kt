package dev.reprise.core

import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * The action of a call that gets no send permit for its next attempt in adaptive mode.
 *
 * A refusal takes no send token and no quota, and ends the call with the reason "rate limited".
 */
public sealed interface NoPermit {
    /** Wait in line, as long as it takes. The call's deadline still bounds the wait. */
    public object Wait : NoPermit {
        override fun toString(): String = "Wait"
    }

    /** Refuse at once. */
    public object Fail : NoPermit {
        override fun toString(): String = "Fail"
    }

    public companion object {
        /** Wait in line for at most [duration]; refuse at once when the wait that is foreseen is longer. */
        @JvmSynthetic
        public fun waitAtMost(duration: Duration): NoPermit = WaitAtMost(duration.toNanos())

        /** Wait in line for at most [duration]; refuse at once when the wait that is foreseen is longer. */
        @JvmStatic
        public fun waitAtMost(duration: JavaDuration): NoPermit = WaitAtMost(duration.toNanosSaturated())
    }
}

/** Wait in line for at most [nanos]; refuse at once when the wait that is foreseen is longer. */
internal data class WaitAtMost(
    /** The longest wait, in nanoseconds, not negative. */
    val nanos: Long,
) : NoPermit {
    init {
        require(nanos >= 0) { "waitAtMost must not be negative: ${nanosText(nanos)}" }
    }

    override fun toString(): String = "wait at most ${nanosText(nanos)}"
}
