@file:OptIn(ShellApi::class)

package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.retries.Outcome
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.ResultKind
import dev.reprise.core.call.Thrown
import dev.reprise.core.classify.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup
import dev.reprise.coroutines.attempt
import dev.reprise.coroutines.meaningOf
import dev.reprise.coroutines.within
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlin.time.Duration.Companion.nanoseconds
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

/** Runs [block] until the call of [options] ends, under the policy of now, and returns or throws what it ends with. */
internal suspend fun <R> Retrier.execute(
    options: CallOptions,
    sdk: SdkRetryPolicy<R>,
    sdkVerdicts: SdkVerdicts,
    block: suspend () -> R,
): Outcome<R> {
    val setup = setup
    return setup.execute(
        options.within(currentCoroutineContext()),
        Judge(setup.policy, sdk, sdkVerdicts),
        block,
    )
}

/**
 * The loop is that of retry-coroutines with two differences: [judge] reads the SDK's exceptions, which no classifier knows,
 * and a failure can be what the client accepts.
 */
private suspend fun <R> RetrierSetup.execute(
    options: CallOptions,
    judge: Judge<R>,
    block: suspend () -> R,
): Outcome<R> {
    var call = begin(options, ResultKind.VALUE)
    var attempts = 0
    var accepted: Throwable? = null
    while (call.next != NextStep.DONE) {
        try {
            when (call.next) {
                NextStep.WAIT -> {
                    waiter.await(call.delayNanos.nanoseconds)
                    call.waited()
                }

                NextStep.PERMIT -> line!!.acquire(call)

                NextStep.ATTEMPT -> {
                    attempts++
                    val result =
                        try {
                            call.attempt { judge.accept(block()) }
                        } catch (e: Throwable) {
                            val meaning = meaningOf(e, currentCoroutineContext())
                            val verdict = if (meaning == Thrown.FAILURE) judge.verdictOn(e) else null
                            if (verdict is Verdict.Accept) accepted = e
                            call = call.failed(e, meaning, verdict)
                            if (call.next != NextStep.DONE) currentCoroutineContext().ensureActive()
                            continue
                        }
                    call = call.completed(result) ?: return Outcome.Response(attempts, result)
                    if (call.next != NextStep.DONE) currentCoroutineContext().ensureActive()
                }

                NextStep.DISCARD, NextStep.DONE -> error("nothing to discard: the results are plain values")
            }
        } catch (e: Throwable) {
            call = call.broke(e)
        }
    }
    accepted?.let { return Outcome.Exception(attempts, it) }
    val failure = call.failure()
    if (failure != null) throw if (failure is UnacceptedResult) failure.asSdkException(attempts) else failure
    @Suppress("UNCHECKED_CAST")
    return Outcome.Response(attempts, call.value() as R)
}
