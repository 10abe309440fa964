package dev.reprise.aws.java

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.firstOfCauses
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.RetryableException
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.exception.SdkServiceException

/**
 * The SDK's own judgement of its exceptions, beyond status and code: throttles and retryable failures of a service's
 * model, a wrong clock (which the SDK then corrects), an attempt that the SDK's own limit cut off.
 */
internal object SdkDecisions : Classifier {
    private val throttled = Verdict.Retry(FailureKind.THROTTLING, "throttled, says the SDK")
    private val skewed = Verdict.Retry(FailureKind.TRANSIENT, "clock skew")
    private val retryable = Verdict.Retry(FailureKind.TRANSIENT, "retryable, says the SDK")
    private val tooLong = Verdict.Retry(FailureKind.TIMEOUT, "attempt timeout")

    /** Clients wrap what ends an attempt; Netty's twice if the attempt was cut off before its request was on its way. */
    override fun classifyFailure(failure: Throwable): Verdict? =
        if (failure is SdkClientException) firstOfCauses(failure, look = ::opinion) else opinion(failure)

    /** The SDK's judgement of [failure] itself. */
    private fun opinion(failure: Throwable): Verdict? = when (failure) {
        is SdkServiceException if failure.isThrottlingException -> throttled
        is SdkServiceException if failure.isClockSkewException -> skewed
        is SdkServiceException if failure.isRetryableException -> retryable
        is ApiCallAttemptTimeoutException -> tooLong
        is RetryableException -> retryable
        else -> null
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "the SDK's own"
}
