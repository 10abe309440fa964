package dev.reprise.coroutines

import dev.reprise.core.CallOptions
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.ResultKind
import dev.reprise.core.call.RetryCall
import dev.reprise.core.call.Thrown
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/**
 * Collects this flow again when it fails, as [retrier]'s policy says. One collection is one call, with a state of its own;
 * its attempts are collections of the upstream, and values that were emitted before a failure are emitted again by the
 * next attempt.
 *
 * A flow that completes has succeeded; no classifier is asked. What the downstream throws is never retried, nor is
 * cancellation: either cancels the call, and so does a downstream that has had enough. The policy's deadline bounds the
 * waits; its attempt timeout does not apply to a flow, and neither does its judgement of results.
 *
 * A stream that runs for days should not end at its third failure. With [startOverAfter], a failure of a collection that has
 * lasted at least this long counts as the failure of a first attempt: the call before it has succeeded, and a new one begins.
 */
public fun <T> Flow<T>.retry(
    retrier: Retrier,
    options: CallOptions = CallOptions.DEFAULT,
    startOverAfter: Duration = Duration.INFINITE,
): Flow<T> {
    require(startOverAfter.isPositive()) { "startOverAfter must be above zero: $startOverAfter" }
    return flow { collectInto(this, retrier, options, startOverAfter.inWholeNanoseconds) }
}

private suspend fun <T> Flow<T>.collectInto(
    downstream: FlowCollector<T>,
    retrier: Retrier,
    options: CallOptions,
    startOverAfter: Long,
) {
    val setup = retrier.setup
    val context = currentCoroutineContext()
    context.ensureActive()
    var call = setup.begin(options.within(context), ResultKind.VALUE)
    while (call.next != NextStep.DONE) {
        try {
            when (call.next) {
                NextStep.WAIT -> {
                    setup.waiter.await(call.delayNanos.nanoseconds)
                    call.waited()
                }

                NextStep.PERMIT -> setup.line!!.acquire(call)

                NextStep.ATTEMPT -> {
                    call.attemptStarts()
                    val startedAt = if (startOverAfter == Long.MAX_VALUE) 0 else setup.clock.nanoTime()
                    var failure: Throwable? = null
                    var thrown = Thrown.CANCELLATION
                    try {
                        val attempt = catch {
                            failure = it
                            thrown = meaningOf(it, currentCoroutineContext())
                        }
                        downstream.emitAll(attempt)
                    } catch (e: Throwable) {
                        // The downstream failed, or wants no more: nothing that a retry could help.
                        failure = e
                    }
                    if (failure == null) {
                        call = call.succeeded() ?: return
                        continue
                    }
                    if (startOverAfter != Long.MAX_VALUE && setup.clock.nanoTime() - startedAt >= startOverAfter) {
                        // A source of deadlines is code of others: asked while there is a call that it can end.
                        val next = setup.bounded(options.within(context))
                        call.succeeded()
                        call = setup.takeOver(next)
                    }
                    call = call.failed(failure, thrown).unlessCancelled(currentCoroutineContext())
                }

                NextStep.DISCARD, NextStep.DONE -> error("nothing to discard: a flow has no result")
            }
        } catch (e: Throwable) {
            call = call.broke(e)
        }
    }
    call.failure()?.let { throw it }
}

/** A call of [options] that begins now, and whose first attempt runs already. */
private fun RetrierSetup.takeOver(options: CallOptions): RetryCall {
    val now = clock.nanoTime()
    return takeOver(options, ResultKind.VALUE, startedAt = now, sentAt = now)
}
