package dev.reprise.aws.java

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.ResultScope
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.firstOfCauses
import software.amazon.awssdk.core.exception.AbortedException
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException
import software.amazon.awssdk.core.exception.ApiCallTimeoutException
import software.amazon.awssdk.core.exception.NonRetryableException
import software.amazon.awssdk.core.exception.RetryableException
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.exception.SdkServiceException
import java.io.CharConversionException
import java.io.EOFException
import java.nio.charset.CharacterCodingException
import java.util.concurrent.CancellationException
import java.util.zip.ZipException
import javax.xml.stream.XMLStreamException

/**
 * The SDK's own judgement of its exceptions, beyond status and code: throttles and retryable failures of a service's
 * model, a wrong clock (which the SDK then corrects), an attempt that the SDK's own limit cut off, what must not be retried by
 * its type, a connection that broke below the XML parser.
 */
internal object SdkDecisions : Classifier {
    private val throttled = Verdict.Retry(FailureKind.THROTTLING, "throttled, says the SDK")
    private val skewed = Verdict.Retry(FailureKind.TRANSIENT, "clock skew")
    private val retryable = Verdict.Retry(FailureKind.TRANSIENT, "retryable, says the SDK")

    /** An attempt found no body left: the one before it cannot be repeated. */
    val noBody: Verdict = Verdict.Retry(FailureKind.TRANSIENT, "no body left to send")
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
        is NonRetryableException -> Verdict.Reject
        is XMLStreamException -> broken(failure.nestedException)
        is RetryableException -> retryable
        else -> null
    }

    /** XML parsers keep what the connection threw apart from the causes. Wrong bytes are thrown as an `IOException` too. */
    private fun broken(hidden: Throwable?): Verdict? = when (hidden) {
        null -> null
        is CharConversionException, is CharacterCodingException, is ZipException, is EOFException -> Verdict.Reject
        else -> TransportErrors.classifyFailure(hidden)
    }

    /** Whether [failure] means that the caller aborted, or that the time for the whole call is over; no attempt failed then. */
    fun isCancellation(failure: Throwable): Boolean = firstOfCauses(failure) { cause ->
        when (cause) {
            is ApiCallAttemptTimeoutException -> false
            is AbortedException, is ApiCallTimeoutException, is CancellationException, is InterruptedException -> true
            else -> null
        }
    } == true

    /** Whether [failure] of a further attempt is the SDK's refusal to send a body again, or a publisher's of a second subscriber. */
    fun isRefusal(failure: Throwable): Boolean =
        firstOfCauses(failure) { it as? NonRetryableException ?: it as? IllegalStateException } != null

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "the SDK's own"
}
