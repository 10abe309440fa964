package dev.reprise.core.shell.layers

import dev.reprise.core.shell.ShellApi

/**
 * Proves that a call gave up on something although it could have retried, when, and where the call was made. Suppressed in the call's exception: the
 * call's trace, or this alone under a policy without traces. Immutable; in another process it proves nothing.
 */
@ShellApi
public open class GiveUpMark internal constructor(
    /** The place of the give-up in the order of all those of this process, from 1; 0 for a call that did not give up. */
    @JvmField @Transient internal val tick: Long,
    /** Where the call was made; `null` if that is not known. */
    @JvmField @Transient internal val place: CallPlace?,
) : Throwable(null, null, false, false),
    Marked {
    override val giveUpMark: GiveUpMark? get() = if (tick > 0) this else null

    override fun toString(): String = "RetryMark: a retrier gave up"

    private companion object {
        const val serialVersionUID = 1L
    }
}

/** Carries a [GiveUpMark]: the trace or the report of a call. */
@ShellApi
public interface Marked {
    /** The mark; `null` if the call did not give up, or could not have retried. */
    public val giveUpMark: GiveUpMark?
}
