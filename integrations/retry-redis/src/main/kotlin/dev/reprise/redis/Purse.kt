package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/**
 * The tokens of leases that one client holds, less those of retries that are promised or made. So it may be below zero:
 * then promises are not yet covered, and the retry that asks first is not made.
 *
 * The law: retries that are made never cost more than leases brought. For with L leased, P promised and S spent the
 * balance is L - P - S, and a promise is spent only while that is not negative. Lock-free.
 */
internal class Purse {
    private val tokens = AtomicInteger()

    /** What is leased and neither promised nor spent; negative by what is promised and not leased. */
    val balance: Int get() = tokens.get()

    /** Promises [cost] tokens. Returns whether they are covered. */
    fun promise(cost: Int): Boolean = tokens.addAndGet(-cost) >= 0

    /** Takes back a promise of [cost] tokens, or a retry that was paid for and not made. */
    fun takeBack(cost: Int) {
        tokens.addAndGet(cost)
    }

    /** A lease brought [granted] tokens. */
    fun add(granted: Int) {
        tokens.addAndGet(granted)
    }

    /** Whether all promises are covered: then any of them may be spent. */
    fun covers(): Boolean = tokens.get() >= 0

    /** Takes out all that is neither promised nor needed soon, which is [kept]; returns how much. */
    fun surplus(kept: Int): Int {
        while (true) {
            val now = tokens.get()
            if (now <= kept) return 0
            if (tokens.compareAndSet(now, kept)) return now - kept
        }
    }
}
