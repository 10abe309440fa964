package dev.reprise.core.machine

import dev.reprise.core.shell.ShellApi

/** The work of a call, which knows whether it may be repeated. */
@ShellApi
public fun interface Repeatable {
    /**
     * Whether another attempt may follow the one that has just ended. Called once, before a retry that the policy would
     * make is paid for; `false` ends the call. An exception ends the call too.
     */
    public fun mayRepeat(): Boolean
}
