package dev.reprise.aws.java

import dev.reprise.core.firstOfCauses
import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.ApiCallTimeoutException
import java.util.concurrent.CancellationException

/** Distinguishes the SDK's exceptions after a cancellation from those of a failed attempt. */
internal object SdkCancellation {
    /** Whether [failure] means that the caller aborted, or that the time for the whole call is over. */
    fun isOne(failure: Throwable): Boolean = firstOfCauses(failure) { cause ->
        when (cause) {
            is ApiCallAttemptTimeoutException -> false
            is AbortedException, is ApiCallTimeoutException -> true
            is CancellationException, is InterruptedException -> true
            else -> null
        }
    } == true
}
