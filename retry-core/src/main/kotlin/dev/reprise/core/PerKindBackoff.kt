package dev.reprise.core

import dev.reprise.core.shell.ShellApi

/** One backoff after transient failures (timeouts among them), another after throttling; both count all retries. */
@ShellApi
public class PerKindBackoff(
    /** Used after [FailureKind.TRANSIENT] and [FailureKind.TIMEOUT]. */
    public val transient: Backoff,
    /** Used after [FailureKind.THROTTLING]. */
    public val throttling: Backoff,
) : Backoff() {
    private fun of(kind: FailureKind) = if (kind == FailureKind.THROTTLING) throttling else transient

    override fun customFor(kind: FailureKind): CustomBackoff? = of(kind).customFor(kind)

    override val hasCustom: Boolean get() = transient.hasCustom || throttling.hasCustom

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long = of(kind).ceilingNanos(retryIndex, kind)

    override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long =
        of(kind).delayNanos(retryIndex, kind, previousNanos, draws)

    override fun equals(other: Any?): Boolean =
        other is PerKindBackoff && transient == other.transient && throttling == other.throttling

    override fun hashCode(): Int = transient.hashCode() * 31 + throttling.hashCode()

    override fun toString(): String = "transient: $transient, throttling: $throttling"
}
