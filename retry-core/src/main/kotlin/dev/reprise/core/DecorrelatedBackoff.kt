package dev.reprise.core

import dev.reprise.core.shell.time.nanosText

/**
 * Decorrelated jitter of the AWS architecture blog: `min(cap, uniform(base, 3 * previous))`, where `previous` starts at
 * the base. The previous delay belongs to one call and comes from its state, never from this object.
 */
internal data class DecorrelatedBackoff(
    /** The smallest delay in ns. */
    val baseNanos: Long,
    /** The largest delay in ns. */
    val capNanos: Long,
) : Backoff() {
    init {
        requireNanos("backoff.base", baseNanos)
        requireNanos("backoff.cap", capNanos)
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long =
        (baseNanos * Math.pow(GROWTH, retryIndex + 1.0)).toLong().coerceAtMost(capNanos).takeIf { baseNanos > 0 } ?: 0

    override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long {
        val previous = if (previousNanos < 0) baseNanos else previousNanos
        val spread = (GROWTH * previous - baseNanos).coerceAtLeast(0.0)
        // The wait before may have been a server's, which says nothing of how fast this one should grow.
        return (baseNanos + draws.next() * spread).toLong().coerceIn(0, ceilingNanos(retryIndex, kind))
    }

    override fun toString(): String = "decorrelated(${nanosText(baseNanos)}, cap ${nanosText(capNanos)})"
}

/** The blog's `sleep * 3`. */
private const val GROWTH = 3.0
