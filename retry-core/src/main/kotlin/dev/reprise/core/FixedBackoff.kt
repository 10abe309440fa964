package dev.reprise.core

import dev.reprise.core.shell.time.nanosText

/** The same ceiling before every retry. */
internal data class FixedBackoff(
    /** The ceiling in ns. */
    val delayNanos: Long,
    override val jitter: Jitter = Jitter.NONE,
) : SteppedBackoff() {
    init {
        requireNanos("backoff.delay", delayNanos)
    }

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long = delayNanos

    override fun toString(): String = "fixed(${nanosText(delayNanos)}, ${jitter.text})"
}
