package dev.reprise.conformance.faults

import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota

/** A quota that keeps books, and may break. */
class Ledger(available: Int, private val saboteur: Saboteur) : Quota {
    private val tokens = RetryQuota(CAPACITY, available)

    var taken = 0
        private set
    var givenBack = 0
        private set
    var added = 0
        private set
    var successes = 0
        private set

    override val capacity: Int get() = CAPACITY
    override val available: Int get() = tokens.available

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        saboteur.use(Site.QUOTA)
        return this.tokens.tryTake(tokens).also { if (it) synchronized(this) { taken += tokens } }
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        saboteur.use(Site.QUOTA)
        return add(tokens).also { synchronized(this) { givenBack += tokens } }
    }

    override fun succeeded(tokens: Int, operation: String?): Int {
        saboteur.use(Site.QUOTA)
        return add(tokens).also { synchronized(this) { successes++ } }
    }

    private fun add(tokens: Int): Int = this.tokens.refund(tokens).also { synchronized(this) { added += it } }

    companion object {
        const val CAPACITY = 500
        const val COST = 5
    }
}
