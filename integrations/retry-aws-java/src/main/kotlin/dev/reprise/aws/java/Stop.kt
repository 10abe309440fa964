package dev.reprise.aws.java

import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.call.RetryCall
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException
import java.time.Duration

/** The exceptions by which a strategy tells the SDK to make no further attempt. */
internal object Stop {
    /**
     * [call] has ended after the failure in [request], which the SDK throws once it has waited [delayNanos]; it carries the
     * call's trace. If code of others threw instead, then that. If the attempt found no body to send, then the failure of the
     * attempt [before] it, with the trace.
     */
    fun of(call: RetryCall, request: RefreshRetryTokenRequest, delayNanos: Long, before: Throwable? = null): Throwable {
        val end = call.outcome() as? RetryOutcome.Failure ?: return late(request)
        val failure = request.failure()
        if (end.failure !== failure) return end.failure
        if (before != null) {
            failure.suppressed.filterIsInstance<RetryTrace>().forEach(before::addSuppressed)
            return before
        }
        val text = "Not retried after attempt ${end.attempts}: ${end.reason}"
        val delay = if (delayNanos > 0) Duration.ofNanos(delayNanos) else null
        return TokenAcquisitionFailedException(text, request.token(), failure, delay)
    }

    /** [call] got no permit for its first attempt. */
    fun refused(call: RetryCall): Throwable {
        val end = call.outcome() as? RetryOutcome.Failure
        return SdkClientException.create("Not sent: ${end?.reason}", end?.failure)
    }

    /** The call of [request] has ended before. */
    fun late(request: RefreshRetryTokenRequest): Throwable =
        TokenAcquisitionFailedException("The call has ended", request.token(), request.failure())
}
