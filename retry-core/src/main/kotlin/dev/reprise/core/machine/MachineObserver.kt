package dev.reprise.core.machine

import dev.reprise.core.classify.ServerDelay
import dev.reprise.core.shell.ShellApi

/** Is told what [RetryMachine] does to the quota, and how it came to a delay. */
@ShellApi
public interface MachineObserver {
    /** [tokens] were taken for a retry. */
    public fun quotaTaken(tokens: Int)

    /** The quota has less than [tokens]. */
    public fun quotaRefused(tokens: Int)

    /** There was room for [tokens] that were given back. */
    public fun quotaRefunded(tokens: Int)

    /** The backoff drew [backoffNanos] of at most [ceilingNanos]; with the server's say that makes [delayNanos]. */
    public fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long)
}
