package dev.reprise.core.machine

import dev.reprise.core.classify.ServerDelay

/** Receives [RetryMachine]'s changes of the quota, and the parts of a delay. */
internal interface MachineObserver {
    /** [tokens] were taken for a retry. */
    fun quotaTaken(tokens: Int)

    /** The quota has less than [tokens]. */
    fun quotaRefused(tokens: Int)

    /** There was room for [tokens] that were given back. */
    fun quotaRefunded(tokens: Int)

    /** The backoff drew [backoffNanos] of at most [ceilingNanos]; with the server's say that makes [delayNanos]. */
    fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long)
}
