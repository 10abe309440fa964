package dev.reprise.aws.java

import software.amazon.awssdk.core.ClientType
import software.amazon.awssdk.core.exception.SdkClientException
import software.amazon.awssdk.core.interceptor.Context
import software.amazon.awssdk.core.interceptor.ExecutionAttributes
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute
import software.amazon.awssdk.http.Abortable
import software.amazon.awssdk.http.SdkHttpMethod
import software.amazon.awssdk.http.SdkHttpResponse
import java.io.IOException
import java.io.InputStream
import java.io.PushbackInputStream
import java.util.Optional

/**
 * Tells the strategy the facts that the SDK's own interface leaves out: the call's service and operation, the beginning
 * of each attempt, its request's body, the end of a call; and mends responses that the SDK would misread.
 */
internal class CallHooks(private val retriers: Retriers) : ExecutionInterceptor {
    override fun afterMarshalling(context: Context.AfterMarshalling, executionAttributes: ExecutionAttributes): Unit =
        CallContext.offer(retriers, context.request(), executionAttributes)

    override fun beforeTransmission(context: Context.BeforeTransmission, executionAttributes: ExecutionAttributes) {
        val call = executionAttributes.getAttribute(CallContext.KEY) ?: return
        call.isOffered = false
        call.body = context.requestBody().orElse(null) ?: context.asyncRequestBody().orElse(null)
        val isAsync = executionAttributes.getAttribute(SdkExecutionAttribute.CLIENT_TYPE) == ClientType.ASYNC
        call.call?.attemptBegins(isAsync)
    }

    /**
     * Takes negative delays out of failures. The SDK reads these headers before it asks the strategy, and a negative number
     * makes it throw an `IllegalArgumentException` in place of the service's own exception.
     */
    override fun modifyHttpResponse(
        context: Context.ModifyHttpResponse,
        attributes: ExecutionAttributes,
    ): SdkHttpResponse {
        val response = context.httpResponse()
        val delays = listOf("Retry-After", "x-amz-retry-after")
        val bad = delays.filter { response.firstMatchingHeader(it).orElse("").startsWith('-') }
        return if (bad.isEmpty()) response else response.toBuilder().apply { bad.forEach(::removeHeader) }.build()
    }

    /** Lets the attempt fail if a good body does not begin, and checks its length. */
    override fun modifyHttpResponseContent(
        context: Context.ModifyHttpResponse,
        attributes: ExecutionAttributes,
    ): Optional<InputStream> {
        val response = context.httpResponse()
        val isChecked = response.isSuccessful && context.httpRequest().method() != SdkHttpMethod.HEAD
        val length = response.firstMatchingHeader("Content-Length").orElse("").toLongOrNull() ?: 0
        return context.responseBody().map { if (isChecked) Whole(it, length).begun() else it }
    }

    override fun onExecutionFailure(context: Context.FailedExecution, executionAttributes: ExecutionAttributes) {
        val call = executionAttributes.getAttribute(CallContext.KEY) ?: return
        call.isOffered = false
        call.call?.sdkEnded(context.exception())
    }

    /**
     * A body that fails if it ends before its [length]. With the JDK's connection it ends silently, and a parser takes a broken
     * connection for a wrong document.
     */
    private class Whole(private val body: InputStream, private val length: Long) :
        PushbackInputStream(body),
        Abortable {
        private var count = 0L

        /** This, with its first byte received. The SDK's XML clients throw an exception past the strategy if there is none. */
        fun begun(): Whole = try {
            super.read().let { if (it >= 0) unread(it) else counts(it) }
            this
        } catch (e: IOException) {
            abort()
            throw SdkClientException.create("The response has no body: ${e.message}", e)
        }

        override fun read(): Int = super.read().also { counts(if (it < 0) -1 else 1) }

        /** Returns the first byte at once, though no other may be there. */
        override fun read(bytes: ByteArray, from: Int, most: Int): Int =
            super.read(bytes, from, if (pos < buf.size) minOf(most, 1) else most).also(::counts)

        override fun skip(most: Long): Long = super.skip(most).also { count += it }

        private fun counts(more: Int) {
            if (more < 0 && count < length) throw IOException("closed after $count of $length bytes")
            count += maxOf(more, 0)
        }

        override fun abort(): Unit = (body as? Abortable)?.abort() ?: Unit
    }
}
