package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.Polling
import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.values.policyFor
import java.util.function.Predicate

/**
 * Runs [block] again and again, as [polling] says, until it returns a result that [isGood], and returns that.
 *
 * ```kotlin
 * val everySecond = Polling.every(1.seconds, deadline = 2.minutes)
 * val job = retrier.pollUntil(everySecond, { it.isDone }) { api.job(id) }
 * ```
 *
 * An exception that this retrier's policy would retry is followed by the interval too; any other ends the poll and is thrown.
 * No quota is asked. Listeners see one call. Cancellation stops it at once, as it does any call.
 *
 * @throws dev.reprise.core.BadResultException when the deadline passes: with the last result, the number of looks, and, as its
 *   suppressed [RetryTrace][dev.reprise.core.RetryTrace], the first and the last of them; a last look that threw, or was cut off at
 *   the deadline, is told by its own exception
 */
public suspend fun <T> Retrier.pollUntil(polling: Polling, isGood: (T) -> Boolean, block: suspend (Attempt) -> T): T =
    pollUntil(polling, CallOptions.DEFAULT, isGood, block)

/** [pollUntil] with [options]. */
public suspend fun <T> Retrier.pollUntil(
    polling: Polling,
    options: CallOptions,
    isGood: (T) -> Boolean,
    block: suspend (Attempt) -> T,
): T = poller(polling, isGood).invoke(options, block)

/** [pollUntil] that returns how the poll ended instead of throwing. Cancellation is still thrown. */
public suspend fun <T> Retrier.pollOutcome(
    polling: Polling,
    isGood: (T) -> Boolean,
    block: suspend (Attempt) -> T,
): RetryOutcome<T> = pollOutcome(polling, CallOptions.DEFAULT, isGood, block)

/** [pollOutcome] with [options]. */
public suspend fun <T> Retrier.pollOutcome(
    polling: Polling,
    options: CallOptions,
    isGood: (T) -> Boolean,
    block: suspend (Attempt) -> T,
): RetryOutcome<T> = poller(polling, isGood).outcome(options, block)

/** [Retrier.pollUntil] that stands alone, and judges exceptions as standard mode does. */
public suspend fun <T> pollUntil(polling: Polling, isGood: (T) -> Boolean, block: suspend (Attempt) -> T): T =
    StandaloneRetriers.standard.pollUntil(polling, isGood, block)

/** The retrier of one poll: a policy, and all else shared with this one. */
@Suppress("UNCHECKED_CAST")
private fun <T> Retrier.poller(polling: Polling, isGood: (T) -> Boolean): Retrier =
    with(polling.policyFor(policy, Predicate { isGood(it as T) }))
