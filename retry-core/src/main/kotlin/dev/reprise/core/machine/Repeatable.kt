package dev.reprise.core.machine

import dev.reprise.core.shell.ShellApi

/** The work of a call, which knows whether it may be repeated. */
@ShellApi
public fun interface Repeatable {
    /**
     * Whether another attempt may follow the one that has just ended. Asked once, if the policy would make one, and before
     * that is paid for; `false` ends the call. What it throws ends the call too.
     */
    public fun mayRepeat(): Boolean
}
