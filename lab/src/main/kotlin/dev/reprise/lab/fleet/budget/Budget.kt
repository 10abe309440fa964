package dev.reprise.lab.fleet.budget

import dev.reprise.core.shell.quota.Quota

/**
 * Pays for the retries of one client in place of a token bucket: a quota of the engine's, with further callbacks that
 * other libraries' budgets need. Confined to one thread.
 */
internal interface Budget : Quota {
    /** The engine asks for no level, and a budget need not have one. */
    override val capacity: Int get() = Int.MAX_VALUE
    override val available: Int get() = capacity

    override fun giveBack(tokens: Int, operation: String?): Int = 0

    override fun succeeded(tokens: Int, operation: String?): Int = 0

    /** A call begins. Returns `false` if it must not even be sent: only a throttle of its own does so. */
    fun begins(): Boolean = true

    /** The attempt [number] of a call ended, whether or not it will be retried. */
    fun attemptEnded(number: Int, isGood: Boolean) = Unit

    /** The server answered at [now] what was sent at [sentAt], in ns; [isRefused] if it throttled that or never answered. */
    fun sampled(sentAt: Long, now: Long, isRefused: Boolean) = Unit

    fun ended() = Unit
}
