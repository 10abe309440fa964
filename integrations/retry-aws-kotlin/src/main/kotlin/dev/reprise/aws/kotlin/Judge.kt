package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.SdkBaseException
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.on
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

/**
 * Judges the outcomes of one call's attempts: by [policy], and by the client's own [sdk] policy with the weight
 * [counts].
 */
internal class Judge<R>(
    private val policy: RetryPolicy,
    private val sdk: SdkRetryPolicy<R>,
    private val counts: SdkVerdicts,
) {
    /** Returns [result] if the client accepts it; throws an [UnacceptedResult] otherwise. */
    fun accept(result: R): R = when (val directive = sdk.evaluate(Result.success(result))) {
        is RetryDirective.TerminateAndSucceed -> result
        is RetryDirective.TerminateAndFail -> throw UnacceptedResult(result, null)
        is RetryDirective.RetryError -> throw UnacceptedResult(result, verdictOf(directive.reason, null))
    }

    /**
     * The verdict on an attempt that threw [failure], with the response behind it; `null` leaves it to the policy. No
     * client knows the policy's own attempt timeout.
     */
    fun verdictOn(failure: Throwable): Verdict? {
        if (failure is UnacceptedResult) return failure.verdict
        if (failure is AttemptTimeoutException) return null
        val directive = sdk.evaluate(Result.failure(failure))
        if (directive is RetryDirective.TerminateAndSucceed) return Verdict.Accept
        val response = SdkResponse.of(failure)
        val ofType = policy.classifier.classifyFailure(failure)
        val ours = ofType ?: response?.let { policy.classifier.classifyResult(it) } ?: Verdict.Reject
        val verdict = combine(ours, verdictOf(directive, failure), isFinal = ofType is Verdict.Reject)
        return if (verdict is Verdict.Retry && response != null) verdict.on(response) else verdict
    }

    private fun combine(ours: Verdict, theirs: Verdict, isFinal: Boolean): Verdict {
        val added = if (ours is Verdict.Reject && !isFinal) theirs else ours
        return when (counts) {
            SdkVerdicts.IGNORE -> ours
            SdkVerdicts.ADD -> added
            SdkVerdicts.LIMIT -> if (theirs is Verdict.Reject) theirs else added
        }
    }

    private fun verdictOf(directive: RetryDirective, failure: Throwable): Verdict =
        if (directive is RetryDirective.RetryError) verdictOf(directive.reason, failure) else Verdict.Reject

    /** The SDK's policy forgets that an error is modelled as a throttle as soon as it is the client's or the server's. */
    private fun verdictOf(reason: RetryErrorType, failure: Throwable?): Verdict.Retry {
        val isThrottle =
            reason == RetryErrorType.Throttling ||
                (failure as? SdkBaseException)?.sdkErrorMetadata?.isThrottling == true
        return if (isThrottle) THROTTLING else TRANSIENT
    }
}

private val TRANSIENT = Verdict.Retry(FailureKind.TRANSIENT, "retryable to the SDK")
private val THROTTLING = Verdict.Retry(FailureKind.THROTTLING, "throttling to the SDK")
