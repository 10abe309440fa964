package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText
import kotlin.math.pow

/**
 * `min(base * factor^(firstExponent + i), cap)` under [jitter], for the retry index `i`.
 *
 * The base is chosen for each failure, the exponent counts all retries of the call: a throttle after a transient failure
 * waits `throttlingBase * factor`. The AWS SDKs start with the exponent 0, the AWS architecture blog's simulator with 1.
 */
internal data class ExponentialBackoff(
    /** The base in ns after transient failures. */
    val baseNanos: Long,
    /** The base in ns after throttling. */
    val throttlingBaseNanos: Long = baseNanos,
    /** The factor by which each further retry multiplies the ceiling; finite and above 0. */
    val factor: Double = 2.0,
    /** The largest ceiling in ns, applied before the jitter. */
    val capNanos: Long = UNLIMITED_NANOS,
    override val jitter: Jitter = Jitter.FULL,
    /** The exponent of the first retry: 0 or 1. */
    val firstExponent: Int = 0,
) : SteppedBackoff() {
    init {
        requireNanos("backoff.base", baseNanos)
        requireNanos("backoff.throttlingBase", throttlingBaseNanos)
        requireNanos("backoff.cap", capNanos)
        require(factor.isFinite() && factor > 0) { "backoff.factor must be finite and above 0: $factor" }
        require(firstExponent in 0..1) { "backoff.firstExponent must be 0 or 1: $firstExponent" }
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long {
        val base = if (kind == FailureKind.THROTTLING) throttlingBaseNanos else baseNanos
        if (base == 0L) return 0 // and not 0 * infinity
        // Exact for a factor of 2 below 2^53 ns (104 days); beyond the range of Long, toLong() saturates.
        return (base * factor.pow(retryIndex.toDouble() + firstExponent)).toLong().coerceAtMost(capNanos)
    }

    override fun toString(): String = buildString {
        append("exponential(${nanosText(baseNanos)}")
        if (throttlingBaseNanos != baseNanos) append(", throttling ${nanosText(throttlingBaseNanos)}")
        append(" x $factor")
        if (firstExponent != 0) append(" from exponent $firstExponent")
        append(", cap ${nanosText(capNanos)}, ${jitter.text})")
    }
}
