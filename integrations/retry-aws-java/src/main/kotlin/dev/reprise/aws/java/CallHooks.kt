package dev.reprise.aws.java

import software.amazon.awssdk.core.ClientType
import software.amazon.awssdk.core.interceptor.Context
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute
import software.amazon.awssdk.http.SdkHttpResponse
import java.io.InputStream
import java.util.Optional

/**
 * Tells the strategy the facts that the SDK's own interface leaves out: the call's service and operation, the beginning
 * of each attempt, the end of a call.
 */
internal class CallHooks(private val retriers: Retriers) : ExecutionInterceptor {
    override fun afterMarshalling(context: Context.AfterMarshalling, executionAttributes: ExecutionAttributes) {
        CallContext.offer(retriers, context.request(), executionAttributes)
    }

    override fun beforeTransmission(context: Context.BeforeTransmission, executionAttributes: ExecutionAttributes) {
        val call = executionAttributes.getAttribute(CallContext.KEY) ?: return
        call.isOffered = false
        call.body = context.requestBody().orElse(null) ?: context.asyncRequestBody().orElse(null)
        call.call?.attemptBegins(
            executionAttributes.getAttribute(SdkExecutionAttribute.CLIENT_TYPE) == ClientType.ASYNC,
        )
    }

    override fun modifyHttpResponseContent(
        context: Context.ModifyHttpResponse,
        executionAttributes: ExecutionAttributes,
    ): Optional<InputStream> = WholeBody.of(context)

    override fun modifyHttpResponse(
        context: Context.ModifyHttpResponse,
        executionAttributes: ExecutionAttributes,
    ): SdkHttpResponse = SuggestedDelays.harmless(context.httpResponse())

    override fun onExecutionFailure(context: Context.FailedExecution, executionAttributes: ExecutionAttributes) {
        val call = executionAttributes.getAttribute(CallContext.KEY) ?: return
        call.isOffered = false
        call.call?.sdkEnded(context.exception())
    }
}
