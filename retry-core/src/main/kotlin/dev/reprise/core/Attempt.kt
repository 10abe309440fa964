package dev.reprise.core

/**
 * What the block may know about the attempt that it is. A live view of its call: read it during the attempt, by the code
 * that makes the attempt.
 */
public interface Attempt {
    /** The attempt's number, from 1. */
    public val number: Int

    /** Whether the policy allows no attempt after this one. */
    public val isLast: Boolean

    /** What the attempt before this one threw; `null` on the first one, and where that one returned a bad result. */
    public val lastFailure: Throwable?

    /** How long this attempt may still take, in ns; `Long.MAX_VALUE` where the policy sets no limit. Reads the clock. */
    public val timeLeftNanos: Long
}

/** The first attempt of a call that nothing is known of yet; made once for each policy. */
internal class FirstAttempt(override val isLast: Boolean) : Attempt {
    override val number: Int get() = 1
    override val lastFailure: Throwable? get() = null
    override val timeLeftNanos: Long get() = Long.MAX_VALUE

    override fun toString(): String = "attempt 1"
}
