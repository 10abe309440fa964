package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi

/** The kind of a shell's results. It decides when a replaced result is discarded. */
@ShellApi
public enum class ResultKind(internal val isReleasedBeforeWait: Boolean, internal val isGoneOnceReleased: Boolean) {
    /** A plain value. There is nothing to discard. */
    VALUE(false, false),

    /** Something to close: right before the next attempt, once its permit is held. Until then it may still be delivered. */
    CLOSEABLE(false, true),

    /** Something that holds a connection: released before the wait. A call that then gets no permit delivers nothing. */
    CONNECTION(true, true),

    /** As [CONNECTION], but its head outlives the release and can still be delivered. */
    RESPONSE(true, false),
}
