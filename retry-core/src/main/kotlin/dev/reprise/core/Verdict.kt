package dev.reprise.core

/**
 * The verdict on an attempt's outcome: [Accept] it, [Retry] because of a failure of some kind, or [Reject] it.
 *
 * Verdicts are immutable and compare by value.
 */
public sealed class Verdict {
    /** The outcome is good. The call ends and its quota is refunded. */
    public object Accept : Verdict() {
        override fun toString(): String = "Accept"
    }

    /** The outcome is a failure that another attempt would not change. The call ends at once. */
    public object Reject : Verdict() {
        override fun toString(): String = "Reject"
    }

    /** The outcome is a failure that another attempt may change. */
    public class Retry private constructor(
        /** Chooses the backoff and the cost of the retry. */
        public val kind: FailureKind,
        /** The reason in a few words for events and traces, such as `status 503`. */
        public val why: String,
        /**
         * The failure proves that nothing was done, so even unsafe work can be repeated: nothing reached the server, or it
         * rolled all of it back.
         */
        public val unsent: Boolean,
        /** When the server wants to be asked again, or `null` if it did not say. */
        public val serverDelay: ServerDelay?,
        /** The response that a shell read out of a failure; the policy's server delays are read from it. */
        internal val response: HttpOutcome?,
        /** Whether a retrier nearer to the failure has given up on it. */
        public val isRetriedBelow: Boolean,
        /** The verdict without what the server said, if it said that it wants no retry. */
        internal val unrefused: Verdict?,
    ) : Verdict() {
        /**
         * A failure of [kind] because of [why], a few words for events and traces; [unsent] if it proves that nothing reached the
         * server; [serverDelay] if that said when.
         */
        @JvmOverloads
        public constructor(
            kind: FailureKind,
            why: String = kind.word,
            unsent: Boolean = false,
            serverDelay: ServerDelay? = null,
        ) : this(kind, why, unsent, serverDelay, response = null, isRetriedBelow = false, unrefused = null)

        /** Whether the server said when. */
        internal val hasServerDelay: Boolean get() = serverDelay != null

        /** This verdict of a server that asks for [delay]. */
        public fun withServerDelay(delay: ServerDelay): Retry = copy(serverDelay = delay)

        /** This verdict on a failure that stands for [response], as only its shell knows. Does not count in comparisons. */
        internal fun on(response: HttpOutcome): Retry = copy(response = response)

        /** This verdict on a failure that a retrier nearer to it has given up on, as only its shell knows. */
        internal fun retriedBelow(): Retry = if (isRetriedBelow) this else refused(this)

        /** This verdict on a response whose server wants no retry; [verdict] is that of a call which retries all the same. */
        internal fun refused(verdict: Verdict): Retry = copy(isRetriedBelow = true, unrefused = verdict)

        /** This verdict on a failure before anything was sent, as another rule knows. */
        internal fun unsent(): Retry = copy(unsent = true)

        private fun copy(
            unsent: Boolean = this.unsent,
            serverDelay: ServerDelay? = this.serverDelay,
            response: HttpOutcome? = this.response,
            isRetriedBelow: Boolean = this.isRetriedBelow,
            unrefused: Verdict? = this.unrefused,
        ) = Retry(kind, why, unsent, serverDelay, response, isRetriedBelow, unrefused)

        override fun equals(other: Any?): Boolean =
            other is Retry && kind == other.kind && why == other.why && unsent == other.unsent &&
                serverDelay == other.serverDelay && isRetriedBelow == other.isRetriedBelow

        override fun hashCode(): Int = (kind.hashCode() * 31 + why.hashCode()) * 31 + serverDelay.hashCode()

        override fun toString(): String = "Retry(${kind.word}: $why" + (if (unsent) ", unsent" else "") +
            (if (isRetriedBelow) ", retried below" else "") + (if (serverDelay == null) ")" else ", $serverDelay)")
    }

    public companion object {
        /** [Accept], as a constant beside the others. */
        @JvmField
        public val ACCEPT: Verdict = Accept

        /** [Reject], as a constant beside the others. */
        @JvmField
        public val REJECT: Verdict = Reject

        /** A transient failure without further detail. */
        @JvmField
        public val TRANSIENT: Retry = Retry(FailureKind.TRANSIENT)

        /** A timeout without further detail. */
        @JvmField
        public val TIMEOUT: Retry = Retry(FailureKind.TIMEOUT, "timeout")

        /** A throttling failure without further detail. */
        @JvmField
        public val THROTTLING: Retry = Retry(FailureKind.THROTTLING)
    }
}
