package dev.reprise.aws.java

import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.ApiCallTimeoutException
import java.util.concurrent.CancellationException

/** Distinguishes the SDK's exceptions after a cancellation from those of a failed attempt. */
internal object SdkCancellation {
    /** Whether [failure] means that the caller aborted, or that the time for the whole call is over. */
    fun isOne(failure: Throwable): Boolean {
        for (cause in failure.withCauses()) {
            when (cause) {
                is ApiCallAttemptTimeoutException -> return false
                is AbortedException, is ApiCallTimeoutException -> return true
                is CancellationException, is InterruptedException -> return true
            }
        }
        return false
    }
}
