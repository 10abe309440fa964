package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy

/**
 * Runs [block] until it succeeds or standard mode gives up, and returns its result or throws the last attempt's own
 * exception. See [Retrier.invoke] for cancellation, timeouts, `Unit` and cost.
 *
 * ```kotlin
 * val user = retry { api.fetch(id) }
 * ```
 *
 * The call shares no quota and no send rate with others. For a client that makes many calls keep a [Retrier], so that
 * not each of them sends three requests to a server that is down.
 */
public suspend fun <T> retry(block: suspend (Attempt) -> T): T = retry(RetryPolicy.STANDARD, block)

/** [retry] as [policy] says. */
public suspend fun <T> retry(policy: RetryPolicy, block: suspend (Attempt) -> T): T =
    retry(policy, CallOptions.DEFAULT, block)

/** [retry] as [policy] says, with [options]. */
public suspend fun <T> retry(policy: RetryPolicy, options: CallOptions, block: suspend (Attempt) -> T): T =
    StandaloneRetriers.of(policy).invoke(options, block)
