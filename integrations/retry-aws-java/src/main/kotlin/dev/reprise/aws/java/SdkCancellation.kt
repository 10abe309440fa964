package dev.reprise.aws.java

import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.ApiCallTimeoutException
import java.util.concurrent.CancellationException

/** Tells what the SDK throws when its caller no longer wants the call from what a failed attempt throws. */
internal object SdkCancellation {
    private const val MOST_CAUSES = 10

    /** Whether [failure] means that the caller aborted, or that the time for the whole call is over. */
    fun isOne(failure: Throwable): Boolean {
        var cause: Throwable? = failure
        repeat(MOST_CAUSES) {
            when (cause) {
                null, is ApiCallAttemptTimeoutException -> return false
                is AbortedException, is ApiCallTimeoutException -> return true
                is CancellationException, is InterruptedException -> return true
            }
            cause = cause.cause
        }
        return false
    }
}
