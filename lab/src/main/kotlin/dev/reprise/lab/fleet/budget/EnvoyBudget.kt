package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind

/** Envoy's `retry_budget`: at most [share] of the calls in flight are in a retry at once, and [least] always may be. */
internal class EnvoyBudget(private val share: Double, private val least: Int) : Budget {
    private var calls = 0
    private var retries = 0

    override val capacity: Int get() = maxOf(least, (share * calls).toInt())

    override val available: Int get() = maxOf(0, capacity - retries)

    override fun begins(): Boolean {
        calls++
        return true
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        if (retries >= capacity) return false
        retries++
        return true
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        retries--
        return 1
    }

    override fun attemptEnded(number: Int, isGood: Boolean) {
        if (number > 1) retries--
    }

    override fun ended() {
        calls--
    }
}
