package dev.reprise.core

/** A backoff whose ceiling is a function of retry index and kind, and whose delay is that ceiling under [jitter]. */
internal sealed class SteppedBackoff : Backoff() {
    /** How the delay is drawn below the ceiling. */
    abstract val jitter: Jitter

    final override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long {
        val ceiling = ceilingNanos(retryIndex, kind)
        return if (ceiling == 0L) 0 else jitter.delayNanos(ceiling, draws)
    }
}
