package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy

/**
 * Runs [block] until it succeeds or [policy] gives up, and answers its result; what is thrown at the end is the last
 * attempt's own exception. See [Retrier.invoke] for cancellation, timeouts and cost.
 *
 * ```kotlin
 * val user = retry { api.fetch(id) }
 * ```
 *
 * The call stands alone: it shares no quota and no send rate with others. For a client that makes many calls hold a
 * [Retrier], so that a server that is down is not asked three times by each of them.
 */
public suspend inline fun <T> retry(
    policy: RetryPolicy = RetryPolicy.STANDARD,
    options: CallOptions = CallOptions.DEFAULT,
    crossinline block: suspend (Attempt) -> T,
): T = LoneRetriers.of(policy)(options, block)
