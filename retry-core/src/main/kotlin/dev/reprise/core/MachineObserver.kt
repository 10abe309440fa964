package dev.reprise.core

import dev.reprise.core.classify.ServerDelay

/** Is told what [RetryMachine] does to the quota, and how it came to a delay. Nobody is told where nobody looks. */
internal interface MachineObserver {
    fun quotaTaken(tokens: Int)

    fun quotaRefused(tokens: Int)

    fun quotaRefunded(tokens: Int)

    fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long)
}
