package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.nanosText

/** The same ceiling before every retry. */
@ShellApi
public class FixedBackoff(
    /** The ceiling in ns. */
    public val delayNanos: Long,
    override val jitter: Jitter = Jitter.NONE,
) : SteppedBackoff() {
    init {
        requireNanos("backoff.delay", delayNanos)
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long = delayNanos

    override fun equals(other: Any?): Boolean =
        other is FixedBackoff && delayNanos == other.delayNanos && jitter == other.jitter

    override fun hashCode(): Int = delayNanos.hashCode() * 31 + jitter.hashCode()

    override fun toString(): String = "fixed(${nanosText(delayNanos)}, ${jitter.text})"
}
