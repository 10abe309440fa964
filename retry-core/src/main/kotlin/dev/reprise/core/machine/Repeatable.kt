package dev.reprise.core.machine

import dev.reprise.core.shell.ShellApi

/** The work of a call, which knows whether it may be repeated. */
@ShellApi
public interface Repeatable {
    /** Whether another attempt may follow the one that has just ended. `false` ends the call, whatever its policy says. */
    public fun mayRepeat(): Boolean
}
