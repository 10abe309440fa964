package dev.reprise.core

import dev.reprise.core.shell.time.nanosText

/**
 * The backoff of the AWS SDK for Go v1: `2^i * J(min)`, and `J(max / 2)` where that is more than `max`, with
 * `J(d)` uniform in [d, 2d) whole ns. The jitter comes before the doubling, so it has a lower bound.
 */
internal data class GoBackoff(
    /** The smallest delay in ns before the first retry. */
    val minNanos: Long,
    /** The largest delay in ns; may be below [minNanos], and then decides alone. */
    val maxNanos: Long,
) : Backoff() {
    init {
        require(minNanos >= 1) { "backoff.min must be at least 1ns: ${nanosText(minNanos)}" }
        require(maxNanos >= 1) { "backoff.max must be at least 1ns: ${nanosText(maxNanos)}" }
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long =
        if (retryIndex < guard()) ((2 * minNanos - 1) shl retryIndex).coerceIn(0, maxNanos) else maxNanos

    override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long {
        if (retryIndex < guard()) {
            val delay = jittered(minNanos, draws) shl retryIndex
            if (delay <= maxNanos) return delay
        }
        return jittered(maxNanos / 2, draws)
    }

    /** The SDK's guard, which keeps `2^i * J(min)` below 2^63: `floor(log2(min)) + 1 < 63 - i`. */
    private fun guard() = Long.SIZE_BITS - 1 - (Long.SIZE_BITS - minNanos.countLeadingZeroBits())

    private fun jittered(nanos: Long, draws: RandomSource) = nanos + draws.nextLong(nanos)

    override fun toString(): String = "go(${nanosText(minNanos)}, max ${nanosText(maxNanos)})"
}
