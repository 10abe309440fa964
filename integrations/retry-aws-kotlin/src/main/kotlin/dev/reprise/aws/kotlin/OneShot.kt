package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.client.Interceptor
import aws.smithy.kotlin.runtime.client.ProtocolRequestInterceptorContext
import aws.smithy.kotlin.runtime.client.ResponseInterceptorContext
import aws.smithy.kotlin.runtime.collections.AttributeKey
import aws.smithy.kotlin.runtime.http.request.HttpRequest
import aws.smithy.kotlin.runtime.http.response.HttpResponse
import aws.smithy.kotlin.runtime.retries.policy.StandardRetryPolicy
import dev.reprise.core.CallOptions
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.Thrown
import dev.reprise.coroutines.Retrier

/** Set in a call that the SDK makes without a strategy. */
private val NOT_ASKED = AttributeKey<Unit>("dev.reprise#NotAsked")

/**
 * Tells [retrier] of a request that failed and whose body can be sent once: the SDK makes one attempt and does not ask the
 * strategy. The failure then carries the trace of a call that was not replayable.
 */
internal class OneShot(private val retrier: Retrier, private val options: suspend () -> CallOptions) :
    Interceptor<Any, Any, HttpRequest, HttpResponse> {
    /** Looks at the body when the SDK's loop has just done so. Later it may be wrapped, as for S3's checksums, and be of one use. */
    override fun readBeforeAttempt(context: ProtocolRequestInterceptorContext<Any, HttpRequest>) {
        if (context.protocolRequest.body.isOneShot) context.executionContext[NOT_ASKED] = Unit
    }

    override suspend fun modifyBeforeAttemptCompletion(
        context: ResponseInterceptorContext<Any, Any, HttpRequest, HttpResponse?>,
    ): Result<Any> {
        val failure = context.response.exceptionOrNull()
        val isOver = failure != null && Thrown.meaningOf(failure) == Thrown.FAILURE
        if (isOver && NOT_ASKED in context.executionContext) ends(failure)
        return context.response
    }

    private suspend fun ends(failure: Throwable) {
        val setup = retrier.setup
        val now = setup.clock.nanoTime()
        val verdict = Judge<Any?>(setup.policy, StandardRetryPolicy.Default, SdkVerdicts.ADD).verdictOn(failure)
        val ended = setup.takeOver(options(), ResultKind.VALUE, now, now).failed(failure, Thrown.FAILURE, verdict)
        if (ended.next == NextStep.REPEAT) ended.repeats(mayRepeat = false)
        ended.outcome()
    }
}
