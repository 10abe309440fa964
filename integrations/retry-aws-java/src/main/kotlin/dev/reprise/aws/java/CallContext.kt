package dev.reprise.aws.java

import software.amazon.awssdk.core.SdkRequest
import software.amazon.awssdk.core.interceptor.ExecutionAttribute
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute

/**
 * The interceptor's knowledge of one SDK call, handed to the strategy on the calling thread, between the marshalling of
 * the request and its first token; the SDK itself does not pass it. Credentials may be fetched in between, through
 * another client: then that call's context lies over this one until it is taken.
 */
internal class CallContext(
    val retriers: Retriers,
    val request: SdkRequest,
    val attributes: ExecutionAttributes,
    private val below: CallContext?,
) {
    val service: String? get() = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME)
    val operation: String? get() = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME)

    /** The call that the strategy made of this, once it has. */
    @Volatile
    var call: AwsCall? = null

    /** Whether the SDK has ended the call. */
    @Volatile
    var hasEnded = false

    companion object {
        val KEY: ExecutionAttribute<CallContext> = ExecutionAttribute<CallContext>("RepriseCall")
        private val onThisThread = ThreadLocal<CallContext?>()

        /** Makes the context of a call of [request] that this thread is about to begin. */
        fun offer(retriers: Retriers, request: SdkRequest, attributes: ExecutionAttributes) {
            val context = CallContext(retriers, request, attributes, firstWanted(onThisThread.get()))
            attributes.putAttribute(KEY, context)
            onThisThread.set(context)
        }

        /** Takes the context of the call through [retriers] that this thread begins; `null` if no interceptor left one. */
        fun take(retriers: Retriers): CallContext? {
            val context = firstWanted(onThisThread.get()) ?: return null
            if (context.retriers !== retriers) return null
            if (context.below == null) onThisThread.remove() else onThisThread.set(context.below)
            return context
        }

        private fun firstWanted(top: CallContext?): CallContext? {
            var context = top
            while (context != null && (context.hasEnded || context.call != null)) context = context.below
            return context
        }
    }
}
