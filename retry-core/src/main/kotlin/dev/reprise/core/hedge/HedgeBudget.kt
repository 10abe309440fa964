package dev.reprise.core.hedge

import java.util.concurrent.atomic.AtomicLong

/**
 * Bounds the copies of one client: each call pays in [maxExtraLoad] of a copy, and a copy takes a whole one. Holds at most
 * ten copies, so that a slow second of a fast client is not answered by a burst; empty at first. There is no allowance per
 * second: a client that makes few calls sends few copies.
 *
 * Lock-free and safe for any number of threads.
 */
internal class HedgeBudget(maxExtraLoad: Double) {
    private val share = (maxExtraLoad * COPY).toLong().coerceAtLeast(1)
    private val saved = AtomicLong()

    /** How many copies could be sent now. */
    val copies: Int get() = (saved.get() / COPY).toInt()

    /** A call begins. A full budget is only read. */
    fun callBegins() {
        while (true) {
            val now = saved.get()
            if (now >= FULL || saved.compareAndSet(now, minOf(FULL, now + share))) return
        }
    }

    /** Takes one copy if it is there. */
    fun tryTake(): Boolean {
        while (true) {
            val now = saved.get()
            if (now < COPY) return false
            if (saved.compareAndSet(now, now - COPY)) return true
        }
    }

    /** Gives back a copy that was taken and not sent. */
    fun giveBack() {
        saved.updateAndGet { minOf(FULL, it + COPY) }
    }

    private companion object {
        /** One copy, in the millionths that are counted. */
        const val COPY = 1_000_000L
        const val FULL = 10 * COPY
    }
}
