package dev.reprise.core.layers

import dev.reprise.core.shell.ShellApi

/**
 * Says that a call gave up on what carries it, although it could have retried. The trace of such a call is one; a policy
 * without traces leaves a bare one.
 */
@ShellApi
public interface GiveUpMark {
    /** Its place in the order of all such give-ups of this process; 0 if the call could not have retried. */
    public val tick: Long

    /** The number of the retrier whose call it was. */
    public val retrier: Long
}

/** A mark without a trace. Serialized without its tick: in another process that would say nothing. */
@OptIn(ShellApi::class)
internal class BareMark(@Transient override val tick: Long, @Transient override val retrier: Long) :
    Throwable(null, null, false, false),
    GiveUpMark {
    override val message: String get() = "a retrier gave up"

    override fun toString(): String = "RetryMark: $message"

    private companion object {
        const val serialVersionUID = 1L
    }
}
