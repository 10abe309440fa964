package dev.reprise.core.shell.quota

import dev.reprise.core.TokenBucketSettings
import java.util.concurrent.atomic.AtomicInteger

/**
 * The retry token bucket that the calls of one client share: it pays for retries, never for first attempts, and is filled
 * by success and not by time. An empty one means that retries do not help right now. Exact to the token as the AWS SDKs
 * have it.
 *
 * Lock-free and safe for any number of threads. The tokens are never below zero and never above [capacity]. A full quota
 * that is refunded is only read, so that healthy traffic does not fight over a cache line.
 */
public class RetryQuota(
    /** The tokens of a full quota. */
    override val capacity: Int,
    available: Int,
) : Quota {
    private val tokens: AtomicInteger

    /** A full quota of standard mode 2.1. */
    public constructor() : this(TokenBucketSettings.STANDARD.capacity)

    /** A full quota of [capacity] tokens. */
    public constructor(capacity: Int) : this(capacity, capacity)

    init {
        require(capacity >= 1) { "quota.capacity must be at least 1: $capacity" }
        require(available in 0..capacity) { "quota.available must be from 0 to capacity ($capacity): $available" }
        tokens = AtomicInteger(available)
    }

    override val available: Int get() = tokens.get()

    override fun tryTake(tokens: Int, operation: String?): Boolean = tryTake(tokens)

    override fun giveBack(tokens: Int, operation: String?): Int = refund(tokens)

    override fun succeeded(tokens: Int, operation: String?): Int = refund(tokens)

    /**
     * Takes [cost] tokens if that many are available; otherwise takes none and returns `false`.
     *
     * @throws IllegalArgumentException if [cost] is negative
     */
    public fun tryTake(cost: Int): Boolean {
        require(cost >= 0) { "cost must not be negative: $cost" }
        while (true) {
            val now = tokens.get()
            if (now < cost) return false
            if (cost == 0 || tokens.compareAndSet(now, now - cost)) return true
        }
    }

    /**
     * Gives back [amount] tokens, up to the capacity, and returns how many there was room for.
     *
     * @throws IllegalArgumentException if [amount] is negative
     */
    public fun refund(amount: Int): Int {
        require(amount >= 0) { "amount must not be negative: $amount" }
        while (true) {
            val now = tokens.get()
            val added = minOf(amount, capacity - now)
            if (added == 0 || tokens.compareAndSet(now, now + added)) return added
        }
    }

    override fun toString(): String = "quota($available of $capacity)"
}
