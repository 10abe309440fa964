package dev.reprise.core

/** One backoff after transient failures (timeouts among them), another after throttling; both count all retries. */
internal data class PerKindBackoff(
    /** Used after [FailureKind.TRANSIENT] and [FailureKind.TIMEOUT]. */
    val transient: Backoff,
    /** Used after [FailureKind.THROTTLING]. */
    val throttling: Backoff,
) : Backoff() {
    private fun of(kind: FailureKind) = if (kind == FailureKind.THROTTLING) throttling else transient

    override fun customFor(kind: FailureKind): CustomBackoff? = of(kind).customFor(kind)

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long = of(kind).ceilingNanos(retryIndex, kind)

    override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long =
        of(kind).delayNanos(retryIndex, kind, previousNanos, draws)

    override fun toString(): String = "transient: $transient, throttling: $throttling"
}
