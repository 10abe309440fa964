package dev.reprise.aws.java

import dev.reprise.core.FailureKind
import dev.reprise.core.Verdict
import dev.reprise.core.firstOfCauses
import software.amazon.awssdk.core.async.BlockingInputStreamAsyncRequestBody
import software.amazon.awssdk.core.async.BlockingOutputStreamAsyncRequestBody
import software.amazon.awssdk.core.exception.NonRetryableException
import software.amazon.awssdk.core.sync.RequestBody

/** Bodies that can be sent once. */
internal object OneShot {
    /** The verdict on an attempt that found no body left: it is the attempt before it that cannot be repeated. */
    val NO_BODY = Verdict.Retry(FailureKind.TRANSIENT, "no body left to send")

    /**
     * Whether [body] can be sent again. A provider of streams is asked for one, which it gives at any time or throws; a stream
     * that can be reset stays open, since it may be the caller's.
     */
    fun maySend(body: Any?): Boolean = when (body) {
        is RequestBody -> runCatching { body.contentStreamProvider().newStream().run { if (!markSupported()) close() } }.isSuccess
        is BlockingInputStreamAsyncRequestBody, is BlockingOutputStreamAsyncRequestBody -> false
        else -> true
    }

    /** Whether [failure] is the SDK's refusal to send a body again. */
    fun isRefusal(failure: Throwable): Boolean = firstOfCauses(failure) { it as? NonRetryableException } != null
}
