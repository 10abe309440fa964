package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/**
 * The tokens that one client holds, less those of retries that are promised or made. Below zero, some promises are not
 * yet covered, and the next retry to ask is not made.
 *
 * The law: retries that are made never cost more than the tokens that were added. With L added, P promised and S spent
 * the balance is L - P - S, and a promise is spent only while that is not negative. Lock-free.
 */
internal class Balance {
    private val sum = AtomicInteger()

    /** The tokens that are neither promised nor spent; negative by the promises that are not covered. */
    val tokens: Int get() = sum.get()

    /** Promises [cost] tokens. Returns whether all promises are covered. */
    fun promise(cost: Int): Boolean = sum.addAndGet(-cost) >= 0

    /** Adds [tokens] of a lease, of a promise that is taken back, or of a retry that was paid for and not made. */
    fun add(tokens: Int) {
        sum.addAndGet(tokens)
    }

    /** Adds as many of [tokens] as there is room for below [full]; returns how many. */
    fun fill(tokens: Int, full: Int): Int {
        fun added(to: Int) = minOf(tokens, maxOf(0, full - to))
        return added(sum.getAndUpdate { it + added(it) })
    }

    /** Whether all promises are covered: then any of them may be spent. */
    fun covers(): Boolean = sum.get() >= 0

    /** Takes out all that is neither promised nor needed soon, which is [kept]; returns how much. */
    fun surplus(kept: Int): Int = maxOf(kept, sum.getAndUpdate { minOf(it, kept) }) - kept
}
