package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.AtomicReference

/**
 * What one client spends by itself while Redis does not serve it, and what of that the fleet's quota has yet to hear.
 * Nothing that was spent goes missing, whenever the server comes back. Lock-free.
 */
internal class Alone {
    private val fund = AtomicReference<Fund?>()
    private val debts = AtomicInteger()
    private val total = AtomicLong()

    /** Whether the client lives on a fund of its own. */
    val isOpen: Boolean get() = fund.get() != null

    /** Whether the server has heard of all that was spent. */
    val isSettled: Boolean get() = !isOpen && debts.get() == 0

    /** The tokens that are left of the fund. */
    val available: Int get() = fund.get()?.available ?: 0

    /** The tokens that were spent, in all. */
    val spent: Long get() = total.get()

    /** Gives the client a fund of [share] tokens, if it has none. */
    fun begin(share: Double, draw: Double) {
        if (!isOpen) fund.compareAndSet(null, Fund(share, draw))
    }

    /** The server serves the client again: the fund is over, and its debt stays to be told. */
    fun end() {
        fund.getAndSet(null)?.let { debts.addAndGet(it.debt()) }
    }

    /** Takes [tokens] from the fund if there is one and they are there. */
    fun tryTake(tokens: Int): Boolean {
        val local = fund.get() ?: return false
        if (!local.tryTake(tokens)) return false
        total.addAndGet(tokens.toLong())
        // The fund may have ended since it was looked at, and its debt been read before this was spent.
        if (fund.get() !== local) debts.addAndGet(local.debt())
        return true
    }

    /** A success gives back [refund] tokens. Returns whether there is a fund to take them. */
    fun add(refund: Int, cost: Int): Boolean {
        val local = fund.get() ?: return false
        local.add(refund, cost)
        return true
    }

    /** Returns what is to be told, and takes it as told. */
    fun debt(): Int = debts.getAndSet(0) + (fund.get()?.debt() ?: 0)
}
