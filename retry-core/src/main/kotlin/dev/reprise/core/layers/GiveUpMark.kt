package dev.reprise.core.layers

import dev.reprise.core.shell.ShellApi

/** Proves that a call gave up on something although it could have retried, and when. Immutable. */
@ShellApi
public class GiveUpMark internal constructor(
    /** The place of the give-up in the order of all those of this process, from 1. */
    internal val tick: Long,
    /** The number of the retrier whose call it was. */
    internal val retrier: Long,
) {
    override fun toString(): String = "give-up $tick of retrier $retrier"
}

/** Carries a [GiveUpMark]: the trace or the report of a call. */
@ShellApi
public interface Marked {
    /** The mark; `null` if the call did not give up, or could not have retried. */
    public val giveUpMark: GiveUpMark?
}

/** Marks an exception for a policy without traces. */
@OptIn(ShellApi::class)
internal class BareMark(
    // In another process it would say nothing.
    @Transient override val giveUpMark: GiveUpMark?,
) : Throwable(null, null, false, false),
    Marked {
    override fun toString(): String = "RetryMark: a retrier gave up"

    private companion object {
        const val serialVersionUID = 1L
    }
}
