package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.CancellationException

/** The meaning of an exception of an attempt or of a wait, for all faces. */
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
         * The meaning of [failure]. Cancellation and interruption end the call. Only a shell knows the one exception:
         * [isTimeoutOfBlock], an apparent cancellation that ends a limit inside the block.
         *
         * This does not cover the attempt's own limit: a shell whose limit has fired fails the attempt with an
         * [AttemptTimeoutException][dev.reprise.core.AttemptTimeoutException] in place of the block's exception.
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
