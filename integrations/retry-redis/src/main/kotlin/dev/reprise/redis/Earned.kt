package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/**
 * Tokens that successes earned and that are not yet reported to the server, up to [most], a bucket's capacity.
 * Lock-free.
 */
internal class Earned(private val most: Int) {
    private val sum = AtomicInteger()

    val tokens: Int get() = sum.get()

    fun add(tokens: Int) {
        sum.updateAndGet { minOf(most.toLong(), it.toLong() + tokens).toInt() }
    }

    /** Whether it is worth a command: ten retries, one that may be wanted now, or all of a long time. */
    fun isWorthSettling(unit: Int, isEmpty: Boolean, isDue: Boolean): Boolean {
        val tokens = sum.get()
        return tokens >= WORTH * unit || (tokens >= unit && isEmpty) || (tokens > 0 && isDue)
    }

    /** Returns what is there, and counts from zero again. */
    fun take(): Int = sum.getAndSet(0)
}

/** How many retries are always worth a command. */
private const val WORTH = 10
