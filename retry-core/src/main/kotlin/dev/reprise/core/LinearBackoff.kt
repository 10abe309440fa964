package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText

/** `min(base + step * i, cap)` under [jitter], for the retry index `i`. */
internal data class LinearBackoff(
    /** The first ceiling in ns. */
    val baseNanos: Long,
    /** The increment of each further retry, in ns. */
    val stepNanos: Long,
    /** The largest ceiling in ns, applied before the jitter. */
    val capNanos: Long = UNLIMITED_NANOS,
    override val jitter: Jitter = Jitter.NONE,
) : SteppedBackoff() {
    init {
        requireNanos("backoff.base", baseNanos)
        requireNanos("backoff.step", stepNanos)
        requireNanos("backoff.cap", capNanos)
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long {
        val room = capNanos - baseNanos
        if (room <= 0 || (stepNanos > 0 && retryIndex > room / stepNanos)) return capNanos
        return baseNanos + stepNanos * retryIndex
    }

    override fun toString(): String =
        "linear(${nanosText(baseNanos)} + ${nanosText(stepNanos)} each, cap ${nanosText(capNanos)}, " +
            "${jitter.text})"
}
