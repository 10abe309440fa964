package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.retries.RetryFailureException
import aws.smithy.kotlin.runtime.retries.TooManyAttemptsException
import dev.reprise.core.Verdict

/** The client's own policy did not accept a [result]; [retry] is its verdict, `null` if the result is final. */
internal class UnacceptedResult(private val result: Any?, private val retry: Verdict.Retry?) :
    RuntimeException("the client's retry policy does not accept ${result?.javaClass?.name}") {
    val verdict: Verdict get() = retry ?: Verdict.Reject

    /** The exception that the SDK's own strategies throw for such a result after [attempts]. Its cause, this, has the trace. */
    fun asSdkException(attempts: Int): Throwable = if (retry == null) {
        RetryFailureException("the operation ended with a result that is not retryable", this, attempts, result)
    } else {
        TooManyAttemptsException("no acceptable result in $attempts attempts", this, attempts, result, null)
    }

    private companion object {
        const val serialVersionUID = 1L
    }
}
