package dev.reprise.core.shell.quota

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

/**
 * The tokens that each operation has spent, so that one operation does not spend the tokens of all. Holds at most
 * [most] operations that owe tokens. The one that has not failed for longest is forgotten first, and may then spend its
 * share again. Lock-free; [isNone] is one volatile read.
 */
internal class Shares(private val most: Int) {
    private class Share(@Volatile var failedAt: Long) {
        val spent = AtomicInteger()
    }

    private val shares = ConcurrentHashMap<String, Share>()
    private val live = AtomicInteger()
    private val ticks = AtomicLong()

    /** How many operations owe tokens. */
    val size: Int get() = live.get()

    /** Whether no operation owes tokens. */
    val isNone: Boolean get() = live.get() == 0

    /** The tokens that [operation] has spent. */
    fun spent(operation: String): Int = shares[operation]?.spent?.get()?.coerceAtLeast(0) ?: 0

    /** Spends [tokens] for [operation] if it then has spent at most [limit]. */
    fun trySpend(operation: String, tokens: Int, limit: Int): Boolean {
        if (tokens == 0) return true
        while (true) {
            val share = shares[operation] ?: add(operation)
            val now = share.spent.get()
            if (now == GONE) {
                remove(operation, share)
                continue
            }
            share.failedAt = ticks.incrementAndGet()
            if (tokens > limit - now) return false
            if (share.spent.compareAndSet(now, now + tokens)) return true
        }
    }

    /** Takes back [tokens] that [operation] spent, as many as it has spent. */
    fun giveBack(operation: String, tokens: Int) {
        if (isNone) return
        val share = shares[operation] ?: return
        while (true) {
            val now = share.spent.get()
            if (now == GONE) return
            val left = if (now > tokens) now - tokens else GONE
            if (share.spent.compareAndSet(now, left)) {
                if (left == GONE) remove(operation, share)
                return
            }
        }
    }

    private fun add(operation: String): Share {
        val made = Share(ticks.incrementAndGet())
        // Counted before it can be found: a thread that finds a share must not be told that there is none.
        val size = live.incrementAndGet()
        val found = shares.putIfAbsent(operation, made)
        if (found != null) {
            live.decrementAndGet()
            return found
        }
        if (size > most) forgetOldest(operation)
        return made
    }

    private fun remove(operation: String, share: Share) {
        if (shares.remove(operation, share)) live.decrementAndGet()
    }

    private fun forgetOldest(keep: String) {
        val (operation, share) = shares.entries.filter { it.key != keep }.minByOrNull { it.value.failedAt } ?: return
        share.spent.set(GONE)
        remove(operation, share)
    }
}

/** Marks a share that was removed: a thread that still holds it looks again. */
private const val GONE = -1
