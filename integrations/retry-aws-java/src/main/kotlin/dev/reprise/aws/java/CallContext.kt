package dev.reprise.aws.java

import software.amazon.awssdk.core.SdkRequest
import software.amazon.awssdk.core.async.BlockingInputStreamAsyncRequestBody
import software.amazon.awssdk.core.async.BlockingOutputStreamAsyncRequestBody
import software.amazon.awssdk.core.interceptor.ExecutionAttribute
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute
import software.amazon.awssdk.core.sync.RequestBody
import java.lang.ref.WeakReference

/**
 * The interceptor's knowledge of one SDK call, offered to the strategy on the calling thread, between the marshalling of
 * the request and its first token; the SDK itself does not pass it. Credentials may be fetched in between, through
 * another client: then that call's offer is the newer one.
 *
 * Only the SDK's call holds its context; the thread refers to it weakly. So an offer that is never taken, because the
 * request has another strategy or is not sent, ends with its call.
 */
internal class CallContext(val retriers: Retriers, val request: SdkRequest, val attributes: ExecutionAttributes) {
    val service: String? get() = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME)
    val operation: String? get() = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME)

    /** The call that the strategy made of this, once it has. */
    @Volatile
    var call: AwsCall? = null

    /** The body of the request that was sent last, as the SDK's type; `null` for none. */
    @Volatile
    var body: Any? = null

    /** Whether this may still be taken: it was not, no attempt was sent, and the SDK has not ended the call. */
    @Volatile
    var isOffered = true

    /**
     * Whether the body can be sent again. A provider of streams is asked for one, which it gives at any time or throws; a stream
     * that can be reset stays open, since it may be the caller's.
     */
    fun maySendAgain(): Boolean = when (val sent = body) {
        is RequestBody -> runCatching {
            sent.contentStreamProvider().newStream().run { if (!markSupported()) close() }
        }.isSuccess

        else -> sent !is BlockingInputStreamAsyncRequestBody && sent !is BlockingOutputStreamAsyncRequestBody
    }

    companion object {
        val KEY: ExecutionAttribute<CallContext> = ExecutionAttribute<CallContext>("RepriseCall")

        /** Each thread's offers, the newest last. */
        private val onThisThread = ThreadLocal.withInitial { ArrayList<WeakReference<CallContext>>() }

        /** Makes the context of a call of [request] that this thread is about to begin. */
        fun offer(retriers: Retriers, request: SdkRequest, attributes: ExecutionAttributes) {
            val context = CallContext(retriers, request, attributes)
            attributes.putAttribute(KEY, context)
            offers() += WeakReference(context)
        }

        /** Takes the context of the call through [retriers] that this thread begins; `null` if no interceptor left one. */
        fun take(retriers: Retriers): CallContext? =
            offers().lastOrNull { it.get()?.retriers === retriers }?.get()?.also { it.isOffered = false }

        /** This thread's offers that stand. */
        fun offers(): MutableList<WeakReference<CallContext>> =
            onThisThread.get().apply { removeAll { it.get()?.isOffered != true } }
    }
}
