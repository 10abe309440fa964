package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.call.NextStep
import dev.reprise.core.call.RetryCall
import dev.reprise.core.call.Thrown
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.time.UNLIMITED_NANOS
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/*
 * What every shell that suspends does in an attempt.
 */

/**
 * Makes one attempt of this call by [block], for no longer than its policy lets it. If that limit fires, the attempt fails
 * with an [AttemptTimeoutException], whatever [block] does in answer. Cancellation passes through.
 */
@ShellApi
public suspend fun <T> RetryCall.attempt(block: suspend (Attempt) -> T): T {
    val attempt = attemptStarts()
    val limit = attempt.timeLeftNanos
    return if (limit == UNLIMITED_NANOS) block(attempt) else withinLimit(attempt, limit, block)
}

/** Runs [block]; if the [limit] in ns fires, that is what the attempt failed with, whatever the block does in answer. */
private suspend fun <T> withinLimit(attempt: Attempt, limit: Long, block: suspend (Attempt) -> T): T {
    if (limit == 0L) throw AttemptTimeoutException(attempt.number, limit)
    val watch = LimitWatch()
    val done =
        try {
            withTimeoutOrNull(limit.nanoseconds) {
                watch.during(currentCoroutineContext().job) { Done(block(attempt)) }
            }
        } catch (e: Throwable) {
            if (!watch.hasFired || !currentCoroutineContext().isActive) throw e
            throw AttemptTimeoutException(attempt.number, limit).apply {
                if (e !is CancellationException) addSuppressed(e)
            }
        }
    return (done ?: throw AttemptTimeoutException(attempt.number, limit)).value
}

/** Tells a result that is `null` from an attempt that timed out. */
private class Done<T>(val value: T)

/** Sees whether a `withTimeout` has fired, also where its block throws something else in answer. */
private class LimitWatch {
    @Volatile
    var hasFired = false
        private set

    inline fun <R> during(scope: Job, block: () -> R): R {
        val child = Job(scope)
        child.invokeOnCompletion { if (it is TimeoutCancellationException) hasFired = true }
        try {
            return block()
        } finally {
            child.complete()
        }
    }
}

/** What it means that an attempt in [context] threw [failure]. The end of a `withTimeout` inside the block is a timeout. */
@ShellApi
public fun meaningOf(failure: Throwable, context: CoroutineContext): Thrown =
    Thrown.meaningOf(failure, isTimeoutOfBlock = failure is TimeoutCancellationException && context.isActive)

/**
 * Reports that an attempt in [context] threw [failure]. A call that would go on, but for its cancelled coroutine, ends.
 * Returns the call to go on with.
 */
@ShellApi
public fun RetryCall.failed(failure: Throwable, context: CoroutineContext): RetryCall =
    failed(failure, meaningOf(failure, context)).unlessCancelled(context)

/** Reports that an attempt in [context] returned [result]. Returns `null` if that is accepted, else like [failed]. */
@ShellApi
public fun RetryCall.completed(result: Any?, context: CoroutineContext): RetryCall? =
    completed(result)?.unlessCancelled(context)

/** The call to go on with: this one, ended if it would go on but for the cancelled coroutine of [context]. */
internal fun RetryCall.unlessCancelled(context: CoroutineContext): RetryCall = try {
    if (next != NextStep.DONE) context.ensureActive()
    this
} catch (e: CancellationException) {
    broke(e)
}
