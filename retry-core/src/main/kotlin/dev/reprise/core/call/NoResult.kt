package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi

/**
 * What an attempt at work without a result returns to its loop. No classifier is asked about it: one that retries `null` would
 * repeat work that has succeeded.
 */
@ShellApi
public object NoResult {
    override fun toString(): String = "no result"
}
