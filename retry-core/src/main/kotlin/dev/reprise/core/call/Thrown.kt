package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.CancellationException

/** What an exception of an attempt or of a wait means. All faces ask this one place. */
@ShellApi
public enum class Thrown {
    /** A failure, which the policy's classifier judges. */
    FAILURE,

    /** A limit that the block had set itself ran out: a transient failure unless the classifier says otherwise. */
    TIMEOUT,

    /** The caller has cancelled the call. It ends at once, and nothing is classified. */
    CANCELLATION,
    ;

    public companion object {
        /**
         * The meaning of [failure]. Cancellation and interruption end the call, with one exception that only a shell can
         * know: [isTimeoutOfBlock], where what looks like a cancellation is the end of a limit inside the block.
         *
         * The attempt's own limit is not asked about here: a shell whose limit has fired fails the attempt with an
         * [AttemptTimeoutException][dev.reprise.core.AttemptTimeoutException], whatever the block threw in answer.
         */
        @JvmStatic
        @JvmOverloads
        public fun meaningOf(failure: Throwable, isTimeoutOfBlock: Boolean = false): Thrown = when {
            isTimeoutOfBlock -> TIMEOUT
            failure is CancellationException || failure is InterruptedException -> CANCELLATION
            else -> FAILURE
        }
    }
}
