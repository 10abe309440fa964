package dev.reprise.core.quota

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

/**
 * What each operation has spent, so that one does not spend the tokens of all. Only operations that failed are here, at most
 * [most] of them; the one that has not failed for longest is forgotten first, and may then spend its share anew. Lock-free.
 */
internal class Shares(private val most: Int) {
    private class Share(@Volatile var failedAt: Long) {
        val spent = AtomicInteger()
    }

    private val shares = ConcurrentHashMap<String, Share>()
    private val ticks = AtomicLong()

    /** How many operations are remembered. */
    val size: Int get() = shares.size

    /** What [operation] has spent. */
    fun spent(operation: String): Int = shares[operation]?.spent?.get() ?: 0

    /** Spends [tokens] for [operation] if it then has spent at most [limit]. */
    fun trySpend(operation: String, tokens: Int, limit: Int): Boolean {
        val tick = ticks.incrementAndGet()
        val share = shares[operation] ?: shares.computeIfAbsent(operation) { Share(tick) }
        share.failedAt = tick
        if (shares.size > most) forgetOldest(operation)
        while (true) {
            val now = share.spent.get()
            if (tokens > limit - now) return false
            if (share.spent.compareAndSet(now, now + tokens)) return true
        }
    }

    /** Takes back [tokens] that [operation] spent, as many as it has spent. */
    fun giveBack(operation: String, tokens: Int) {
        if (shares.isEmpty()) return
        val spent = shares[operation]?.spent ?: return
        while (true) {
            val now = spent.get()
            if (now == 0 || spent.compareAndSet(now, (now - tokens).coerceAtLeast(0))) return
        }
    }

    private fun forgetOldest(keep: String) {
        while (shares.size > most) {
            val oldest = shares.entries.filter { it.key != keep }.minByOrNull { it.value.failedAt } ?: return
            shares.remove(oldest.key, oldest.value)
        }
    }
}
