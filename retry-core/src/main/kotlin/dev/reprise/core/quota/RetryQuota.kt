package dev.reprise.core.quota

import java.util.concurrent.atomic.AtomicInteger

/**
 * The retry token bucket that the calls of one client share: it pays for retries, never for first attempts, and is filled
 * by success and not by time. An empty one means that retries do not help right now.
 *
 * Lock-free and safe for any number of threads. The tokens are never below zero and never above [capacity]. A full quota
 * that is refunded is only read, so that healthy traffic does not fight over a cache line.
 */
public class RetryQuota
@JvmOverloads
constructor(
    /** The tokens of a full quota. */
    public val capacity: Int = QuotaSettings.STANDARD.capacity,
    available: Int = capacity,
) {
    private val tokens: AtomicInteger

    init {
        require(capacity >= 1) { "quota.capacity must be at least 1: $capacity" }
        require(available in 0..capacity) { "quota.available must be from 0 to capacity ($capacity): $available" }
        tokens = AtomicInteger(available)
    }

    /** The tokens that are there now. */
    public val available: Int get() = tokens.get()

    /** Takes [cost] tokens if so many are there; otherwise takes none and answers `false`. */
    public fun tryTake(cost: Int): Boolean {
        while (true) {
            val now = tokens.get()
            if (now < cost) return false
            if (cost == 0 || tokens.compareAndSet(now, now - cost)) return true
        }
    }

    /** Gives back [amount] tokens, up to the capacity, and answers how many there was room for. */
    public fun refund(amount: Int): Int {
        while (true) {
            val now = tokens.get()
            val added = minOf(amount, capacity - now)
            if (added == 0 || tokens.compareAndSet(now, now + added)) return added
        }
    }

    override fun toString(): String = "quota($available of $capacity)"
}
