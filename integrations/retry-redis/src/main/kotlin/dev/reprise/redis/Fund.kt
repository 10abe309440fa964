package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/**
 * What one client may spend by itself while Redis does not serve it: its share of what the fleet had when it was last
 * heard of. Filled by success, up to that share or one retry. Lock-free.
 */
internal class Fund(share: Double, private val draw: Double) {
    private val share = share.coerceIn(0.0, MOST)
    private val tokens = AtomicInteger(UNDECIDED)
    private val spent = AtomicInteger()

    /** The tokens that are there. */
    val available: Int get() = tokens.get().let { if (it == UNDECIDED) share.toInt() else it }

    /** Takes [cost] tokens if they are there. */
    fun tryTake(cost: Int): Boolean {
        if (tokens.get() == UNDECIDED) tokens.compareAndSet(UNDECIDED, whole(cost))
        while (true) {
            val now = tokens.get()
            if (now < cost) return false
            if (!tokens.compareAndSet(now, now - cost)) continue
            spent.addAndGet(cost)
            return true
        }
    }

    /** A success gives back [refund] tokens to a fund that pays for retries of [cost]. */
    fun add(refund: Int, cost: Int) {
        if (spent.get() <= 0) return
        val full = maxOf(share.toInt(), cost)
        while (true) {
            val now = tokens.get()
            val added = minOf(refund, full - now)
            if (now == UNDECIDED || added <= 0) return
            if (!tokens.compareAndSet(now, now + added)) continue
            spent.addAndGet(-added)
            return
        }
    }

    /** What was spent and not filled up again; the fleet's quota pays for it once it is there again. */
    fun debt(): Int = spent.getAndSet(0).coerceAtLeast(0)

    /**
     * The share in whole retries, rounded by chance: so a fleet of clients with a share of less than a retry spends
     * what it has together, and not nothing.
     */
    private fun whole(cost: Int): Int {
        if (cost <= 0) return share.toInt()
        val retries = share / cost
        val certain = kotlin.math.floor(retries)
        return (certain * cost).toInt() + if (draw < retries - certain) cost else 0
    }

    private companion object {
        const val UNDECIDED = -1
        const val MOST = 1e8
    }
}
