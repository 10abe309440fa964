package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind

/**
 * What pays for the retries of one client: the shape of the engine's quota, with three more moments that other libraries'
 * budgets look at. Confined to one thread.
 */
internal interface Budget {
    /** The most tokens that it holds. */
    val capacity: Int

    /** The tokens that are there now. */
    val available: Int

    /** Takes [tokens] for a retry after a failure of [kind], or takes none and returns `false`. */
    fun take(tokens: Int, kind: FailureKind, operation: String?): Boolean

    /** Gives back [tokens] of a retry that was paid for and not made; returns how many there was room for. */
    fun giveBack(tokens: Int, operation: String?): Int = 0

    /** A call succeeded, whose last retry took [tokens] (0 for none); returns how many came back. */
    fun succeeded(tokens: Int, operation: String?): Int = 0

    /** A call begins. Returns `false` if it must not even be sent: only a throttle of its own does so. */
    fun begins(): Boolean = true

    /** The attempt [number] of a call ended, whether or not it will be retried. */
    fun attemptEnded(number: Int, isGood: Boolean) = Unit

    /** A call ended. */
    fun ended() = Unit
}
