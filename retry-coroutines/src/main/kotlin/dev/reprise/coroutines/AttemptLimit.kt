package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.shell.call.HedgeRace
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SuspendAttempt
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.coroutines.shell.withinTime
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.nanoseconds

/**
 * Makes one attempt of this call by [block], for no longer than its policy lets it. If that limit fires, the attempt
 * fails with an [AttemptTimeoutException]; the reaction of [block] to it is ignored. Cancellation passes through.
 */
internal suspend fun <T> RetryCall.attempt(block: suspend (Attempt) -> T): T {
    val attempt = attemptStarts()
    val race = if (block is SuspendAttempt && !block.mayRunTwice) null else race()
    val waiter = (setup as RetrierSetup).waiter
    return if (block is SuspendAttempt) block.make(race, attempt, waiter) else made(race, attempt, waiter, block)
}

private suspend fun <T> made(race: HedgeRace?, attempt: Attempt, waiter: Waiter, block: suspend (Attempt) -> T): T =
    if (race == null) withinLimit(attempt, block) else raced(race, attempt, waiter, block)

private suspend fun <T> SuspendAttempt<T>.make(race: HedgeRace?, attempt: Attempt, waiter: Waiter): T {
    var made: Done<T>? = null
    try {
        made = if (race == null) {
            withinLimit(attempt) { Done(this(it)).also { done -> made = done } }
        } else {
            Done(raced(race, attempt, waiter, this))
        }
        return made!!.value
    } catch (e: Throwable) {
        // A result that came too late, or to a caller that has gone.
        made?.let { late -> runCatching { discard(late.value) }.onFailure(e::suppress) }
        throw e
    }
}

/** Runs [block] for no longer than [attempt] may take. */
internal suspend fun <T> withinLimit(attempt: Attempt, block: suspend (Attempt) -> T): T =
    withinLimit(attempt, attempt.timeLeftNanos, block)

/** Runs [block] for no longer than [limit], in ns; see [attempt]. */
internal suspend fun <T> withinLimit(attempt: Attempt, limit: Long, block: suspend (Attempt) -> T): T =
    if (limit == UNLIMITED_NANOS) block(attempt) else cutOffAfter(limit, attempt, block)

private suspend fun <T> cutOffAfter(limit: Long, attempt: Attempt, block: suspend (Attempt) -> T): T {
    var answer: Throwable? = null
    val done = withinTime(limit.nanoseconds) {
        try {
            Done(block(attempt))
        } catch (e: Throwable) {
            answer = e
            // Throws the limit's own cancellation if the limit has fired, in place of the block's exception.
            ensureActive()
            throw e
        }
    }
    if (done != null) return done.value
    currentCoroutineContext().ensureActive()
    throw AttemptTimeoutException(attempt.number, attempt.limitNanos).apply { answer?.let(::suppress) }
}

/** Suppresses [other] in this. A cancellation is a way to end, and no failure. */
private fun Throwable.suppress(other: Throwable) {
    if (other !is CancellationException && other !== this) addSuppressed(other)
}

/** Tells a result that is `null` from an attempt that timed out. */
private class Done<T>(val value: T)

/** The meaning of an attempt's [failure] in [context]. The end of a `withTimeout` inside the block is a timeout. */
internal fun meaningOf(failure: Throwable, context: CoroutineContext): Thrown =
    Thrown.meaningOf(failure, isTimeoutOfBlock = failure is TimeoutCancellationException && context.isActive)
