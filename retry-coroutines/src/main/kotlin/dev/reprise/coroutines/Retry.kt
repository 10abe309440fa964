package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy

/**
 * Runs [block] until it succeeds or standard mode gives up, and returns its result; what is thrown at the end is the last
 * attempt's own exception. See [Retrier.invoke] for cancellation, timeouts, `Unit` and cost.
 *
 * ```kotlin
 * val user = retry { api.fetch(id) }
 * ```
 *
 * The call stands alone: it shares no quota and no send rate with others. For a client that makes many calls hold a
 * [Retrier], so that a server that is down is not asked three times by each of them.
 */
public suspend fun <T> retry(block: suspend (Attempt) -> T): T = retry(RetryPolicy.STANDARD, block)

/** [retry] as [policy] says. */
public suspend fun <T> retry(policy: RetryPolicy, block: suspend (Attempt) -> T): T =
    retry(policy, CallOptions.DEFAULT, block)

/** [retry] as [policy] says, with [options]. */
public suspend fun <T> retry(policy: RetryPolicy, options: CallOptions, block: suspend (Attempt) -> T): T =
    LoneRetriers.of(policy).invoke(options, block)
