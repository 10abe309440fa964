package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind
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
    override val capacity: Int = TokenBucketSettings.STANDARD.capacity,
    available: Int = capacity,
) : Quota {
    private val tokens: AtomicInteger

    init {
        require(capacity >= 1) { "quota.capacity must be at least 1: $capacity" }
        require(available in 0..capacity) { "quota.available must be from 0 to capacity ($capacity): $available" }
        tokens = AtomicInteger(available)
    }

    override val available: Int get() = tokens.get()

    override fun tryTake(tokens: Int, kind: FailureKind, operation: String?): Boolean = tryTake(tokens)

    override fun giveBack(tokens: Int, operation: String?): Int = refund(tokens)

    override fun succeeded(tokens: Int, operation: String?): Int = refund(tokens)

    /** Takes [cost] tokens and returns `true`, or takes none and returns `false` if there are fewer. */
    public fun tryTake(cost: Int): Boolean {
        requireTokens(cost)
        while (true) {
            val now = tokens.get()
            if (now < cost) return false
            if (cost == 0 || tokens.compareAndSet(now, now - cost)) return true
        }
    }

    /** Gives back [amount] tokens, up to the capacity. Returns how many there was room for. */
    public fun refund(amount: Int): Int {
        requireTokens(amount)
        while (true) {
            val now = tokens.get()
            val added = minOf(amount, capacity - now)
            if (added == 0 || tokens.compareAndSet(now, now + added)) return added
        }
    }

    override fun toString(): String = "quota($available of $capacity)"
}

/** Refuses a negative amount: taken, it would make tokens, and given back, it would destroy them. */
internal fun requireTokens(tokens: Int) = require(tokens >= 0) { "tokens must not be negative: $tokens" }
