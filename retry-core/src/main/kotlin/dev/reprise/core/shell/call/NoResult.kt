package dev.reprise.core.shell.call

import dev.reprise.core.shell.ShellApi

/**
 * Stands for the result of work that has none, from its attempt to its loop. No classifier is asked about it: one that retries
 * `null` would repeat work that has succeeded.
 */
@ShellApi
public object NoResult {
    override fun toString(): String = "no result"
}
