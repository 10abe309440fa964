package dev.reprise.core.shell.layers

import dev.reprise.core.shell.ShellApi

/** A request that a server is serving, as far as the options of a call that is made for it know it. */
@ShellApi
public interface Served {
    /** The number of the request's own attempt at its caller, from 1. */
    public val attempt: Int
}
