package dev.reprise.aws.java

import dev.reprise.core.backoff.Backoff
import dev.reprise.core.backoff.PerKindBackoff
import software.amazon.awssdk.retries.api.BackoffStrategy
import java.time.Duration

/** Backoffs of the SDK's as ours. They draw for themselves: what is told as the ceiling is another draw. */
internal object SdkBackoff {
    private const val FIRST_RETRY = 2
    private const val NANOS = 1_000_000_000L

    /** [backoff] with [transient] and [throttling] in its place, where they are set. */
    fun over(backoff: Backoff, transient: BackoffStrategy?, throttling: BackoffStrategy?): Backoff =
        PerKindBackoff(transient?.let(::of) ?: backoff, throttling?.let(::of) ?: backoff)

    /** The SDK asks with the number of the attempt that comes next. */
    private fun of(strategy: BackoffStrategy): Backoff = Backoff.Custom({ retryIndex, _ ->
        nanos(strategy.computeDelay(minOf(retryIndex, Int.MAX_VALUE - FIRST_RETRY) + FIRST_RETRY))
    })

    private fun nanos(delay: Duration): Long = when {
        delay.isNegative -> 0
        delay.seconds >= Long.MAX_VALUE / NANOS - 1 -> Long.MAX_VALUE
        else -> delay.toNanos()
    }
}
