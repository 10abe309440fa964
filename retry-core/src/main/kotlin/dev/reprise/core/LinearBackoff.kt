package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText

/** `min(base + step * i, cap)` under [jitter], for the retry index `i`. */
@ShellApi
public class LinearBackoff(
    /** The first ceiling in ns. */
    public val baseNanos: Long,
    /** The increment of each further retry, in ns. */
    public val stepNanos: Long,
    /** The largest ceiling in ns, applied before the jitter. */
    public val capNanos: Long = UNLIMITED_NANOS,
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

    override fun equals(other: Any?): Boolean =
        other is LinearBackoff && baseNanos == other.baseNanos && stepNanos == other.stepNanos &&
            capNanos == other.capNanos && jitter == other.jitter

    override fun hashCode(): Int = ((baseNanos.hashCode() * 31 + stepNanos.hashCode()) * 31) + capNanos.hashCode()

    override fun toString(): String =
        "linear(${nanosText(baseNanos)} + ${nanosText(stepNanos)} each, cap ${nanosText(capNanos)}, " +
            "${jitter.text})"
}
