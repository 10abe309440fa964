package dev.reprise.core

/**
 * A [function] of the user's under [jitter]: [ask] has it return ns, `null` to stop. Compares by the function itself. The
 * machine asks it once for each retry, with all that is known; a negative duration counts as none.
 */
internal class CustomBackoff(
    private val function: Any,
    private val jitter: Jitter,
    private val ask: (NextRetry) -> Long?,
) : Backoff() {
    override fun customFor(kind: FailureKind): CustomBackoff = this

    /** The ceiling before [retry] in ns, or [STOP]. */
    fun ceilingNanos(retry: NextRetry): Long = ask(retry)?.coerceAtLeast(0) ?: STOP

    /** The delay in ns under a [ceiling] in ns. */
    fun delayNanos(ceiling: Long, draws: RandomSource): Long = jitter.delayNanos(ceiling, draws)

    override fun ceilingNanos(retryIndex: Int, kind: FailureKind): Long =
        ceilingNanos(NextRetry(retryIndex, kind)).coerceAtLeast(0)

    override fun delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long {
        val ceiling = ceilingNanos(NextRetry(retryIndex, kind, previousNanos = previousNanos))
        return if (ceiling < 0) STOP else delayNanos(ceiling, draws)
    }

    override fun equals(other: Any?): Boolean =
        other is CustomBackoff && function == other.function && jitter == other.jitter

    override fun hashCode(): Int = function.hashCode() * 31 + jitter.hashCode()

    override fun toString(): String = "custom(${if ('@' in "$function") "a function" else function})"
}
