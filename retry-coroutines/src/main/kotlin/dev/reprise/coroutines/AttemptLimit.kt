package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.call.RetryCall
import dev.reprise.core.call.Thrown
import dev.reprise.core.time.UNLIMITED_NANOS
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/**
 * Makes one attempt of this call by [block], for no longer than its policy lets it. If that limit fires, the attempt fails
 * with an [AttemptTimeoutException], whatever [block] does in answer. Cancellation passes through.
 */
internal suspend fun <T> RetryCall.attempt(block: suspend (Attempt) -> T): T {
    val attempt = attemptStarts()
    val race = if (block is SuspendAttempt && !block.mayRunTwice) null else race()
    return if (race == null) makeWithin(attempt, block, block) else raced(race, attempt, block)
}

/** Makes [attempt] of [block] by [work], which is [block] or a race of its executions. */
internal suspend fun <T> makeWithin(attempt: Attempt, block: suspend (Attempt) -> T, work: suspend (Attempt) -> T): T =
    if (block is SuspendAttempt) block.makeWithin(attempt, work) else withinLimit(attempt, attempt.timeLeftNanos, work)

private suspend fun <T> SuspendAttempt<T>.makeWithin(attempt: Attempt, work: suspend (Attempt) -> T): T {
    var made: Done<T>? = null
    try {
        try {
            withinLimit(attempt, attempt.timeLeftNanos) { made = Done(work(it)) }
        } finally {
            isSpent = !mayRepeat()
        }
        return made!!.value
    } catch (e: Throwable) {
        // A result that came too late, or to a caller that has gone.
        made?.let { discard(it.value) }
        throw e
    }
}

/** Runs [block] for no longer than [limit], in ns; see [attempt]. */
internal suspend fun <T> withinLimit(attempt: Attempt, limit: Long, block: suspend (Attempt) -> T): T =
    if (limit == UNLIMITED_NANOS) block(attempt) else cutOffAfter(limit, attempt, block)

private suspend fun <T> cutOffAfter(limit: Long, attempt: Attempt, block: suspend (Attempt) -> T): T {
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

/** The meaning of an attempt's [failure] in [context]. The end of a `withTimeout` inside the block is a timeout. */
internal fun meaningOf(failure: Throwable, context: CoroutineContext): Thrown =
    Thrown.meaningOf(failure, isTimeoutOfBlock = failure is TimeoutCancellationException && context.isActive)
