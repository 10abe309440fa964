package dev.reprise.coroutines

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryCall
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.retryWhen

/**
 * Collects this flow again when it fails, as [retrier]'s policy says. One collection is one call, with a state of its own;
 * its attempts are collections of the upstream, and values that were emitted before a failure are emitted again by the
 * next attempt.
 *
 * What the downstream throws is never retried, nor is cancellation: either cancels the call, and so does a downstream that
 * has had enough. The policy's deadline bounds the waits; its attempt
 * timeout does not apply to a flow, and neither does its judgement of results.
 */
public fun <T> Flow<T>.retry(retrier: Retrier, options: CallOptions = CallOptions.DEFAULT): Flow<T> = flow {
    val steps = retrier.steps(options)
    val call = steps.beginWatched()
    steps.enterOrThrow(call)
    try {
        emitAll(
            this@retry.retryWhen { cause, _ ->
                steps.failed(call, RetryCall.NEVER, cause, currentCoroutineContext())
                steps.enterOrThrow(call)
                true
            },
        )
    } catch (e: Throwable) {
        // The downstream wants no more, or failed: nothing that retries could help, and listeners hear of an end.
        call.cancelled()
        throw e
    }
    call.completed(Unit)
}

private suspend fun CallSteps.enterOrThrow(call: RetryCall) {
    if (mustWait(call)) await(call)
    if (!attemptBegins(call)) call.failure()?.let { throw it }
}
