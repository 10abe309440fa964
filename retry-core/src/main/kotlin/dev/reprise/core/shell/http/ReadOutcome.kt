package dev.reprise.core.shell.http

import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.ShellApi

/** A response of which some bytes may have been read before it is judged: the outcome of every HTTP face. */
public abstract class ReadOutcome @ShellApi protected constructor(final override val receivedAtEpochMillis: Long) :
    HttpOutcome() {
    /** The bytes that were read, the first of the body; `null` if none were. */
    @ShellApi
    protected abstract val read: ByteArray?

    /** Whether these are the whole body as the server sent it. */
    @ShellApi
    protected abstract val isWhole: Boolean

    override val errorCode: String? get() = ErrorCodes.of(this, read)

    /** The service's error message, if enough of a failure's body was read. */
    override val errorMessage: String? get() = ErrorCodes.messageOf(this, read)

    /** The whole body as the server sent it; `null` if it was not read, is longer than what is read, or was unpacked. */
    override val body: ByteArray? get() = if (isWhole) read?.copyOf() else null
}
