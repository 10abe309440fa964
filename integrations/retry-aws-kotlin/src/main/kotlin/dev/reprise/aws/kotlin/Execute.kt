package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.retries.Outcome
import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.call
import dev.reprise.coroutines.shell.SuspendAttempt
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

/**
 * Runs [block] until the call of [options] ends, under the present policy. Returns its result or throws its failure.
 */
internal suspend fun <R> Retrier.execute(
    options: CallOptions,
    sdk: SdkRetryPolicy<R>,
    sdkVerdicts: SdkVerdicts,
    block: suspend () -> R,
): Outcome<R> {
    val setup = setup
    setup.warnOfHedge("an AWS client sends no copies")
    val attempts = SdkAttempt(Judge(setup.policy, sdk, sdkVerdicts), block)
    val result =
        try {
            setup.call(options, attempts)
        } catch (e: Throwable) {
            if (e === attempts.accepted) return Outcome.Exception(attempts.count, e)
            throw if (e is UnacceptedResult) e.asSdkException(attempts.count) else e
        }
    return Outcome.Response(attempts.count, result)
}

/** The attempts of one call of a client: [judge] reads the SDK's exceptions, which no classifier knows. */
private class SdkAttempt<R>(private val judge: Judge<R>, private val block: suspend () -> R) : SuspendAttempt<R>() {
    /** How many were made. */
    var count = 0
        private set

    /** The failure that the client accepts, if the last attempt ended with one. */
    var accepted: Throwable? = null
        private set

    override suspend fun invoke(attempt: Attempt): R {
        count = attempt.number
        return judge.accept(block())
    }

    override fun verdictOn(failure: Throwable): Verdict? = judge.verdictOn(failure).also {
        if (it is Verdict.Accept) accepted = failure
    }
}
