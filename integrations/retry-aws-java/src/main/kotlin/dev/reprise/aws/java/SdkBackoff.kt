package dev.reprise.aws.java

import dev.reprise.core.Backoff
import software.amazon.awssdk.retries.api.BackoffStrategy
import java.util.function.Function

/** Backoffs of the SDK's as ours. They draw for themselves. */
internal object SdkBackoff {
    private const val FIRST_RETRY = 2

    /** [backoff] with [transient] and [throttling] in its place, where they are set. */
    fun over(backoff: Backoff, transient: BackoffStrategy?, throttling: BackoffStrategy?): Backoff =
        Backoff.perKind(transient?.let(::of) ?: backoff, throttling?.let(::of) ?: backoff)

    /** The SDK asks with the number of the attempt that comes next. */
    private fun of(strategy: BackoffStrategy): Backoff = Backoff.custom(
        Function { retry -> strategy.computeDelay(minOf(retry.retryIndex, Int.MAX_VALUE - FIRST_RETRY) + FIRST_RETRY) },
    )
}
