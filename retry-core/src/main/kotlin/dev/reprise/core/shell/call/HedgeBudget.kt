package dev.reprise.core.shell.call

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.math.pow

/**
 * Bounds the copies of one client: each call pays in [maxExtraLoad] of a copy, and a copy takes a whole one. Holds at most
 * fifteen copies, so that a slow second of a fast client is not answered by a burst; empty at first. There is no allowance per
 * second: a client that makes few calls sends few copies.
 *
 * Copies that lose take the budget away. A copy wins where slowness is of the request; where the server is slow because it is
 * busy, the copy waits behind the first execution and only adds to the load. If fewer than a third of the recent copies
 * have won, calls pay in less and less, down to a fiftieth: enough to notice when copies win again.
 *
 * Lock-free and safe for any number of threads.
 */
internal class HedgeBudget(maxExtraLoad: Double) {
    private val share = (maxExtraLoad * COPY).toLong().coerceAtLeast(1)
    private val saved = AtomicLong()

    /** The moving average of won copies, in thousandths. */
    private val wins = AtomicInteger(FIRST_WINS)

    @Volatile
    private var paysIn = share

    @Volatile
    private var full = FULL

    /** How many copies could be sent now. */
    val copies: Int get() = (saved.get() / COPY).toInt()

    /** A call begins. A full budget is only read. */
    fun callBegins() {
        if (saved.get() < full) saved.updateAndGet { minOf(full, it + paysIn) }
    }

    /** Takes one copy if it is there. */
    fun tryTake(): Boolean = saved.getAndUpdate { if (it < COPY) it else it - COPY } >= COPY

    /** Gives back a copy that was taken and not sent. */
    fun giveBack() {
        saved.updateAndGet { minOf(full, it + COPY) }
    }

    /** A call that had a copy has ended; the copy [won] if its outcome was accepted before the first execution ended. */
    fun copyEnded(won: Boolean) {
        val average = wins.updateAndGet { it + ((if (won) ALL else 0) - it) / MEMORY }
        val trust = (average.toDouble() / ENOUGH_WINS).coerceAtMost(1.0).pow(4).coerceAtLeast(LEAST_TRUST)
        paysIn = (share * trust).toLong().coerceAtLeast(1)
        full = COPY + ((FULL - COPY) * trust).toLong()
        saved.updateAndGet { minOf(full, it) }
    }
}

/** One copy, in the millionths that are counted. */
private const val COPY = 1_000_000L
private const val FULL = 15 * COPY

private const val ALL = 1_000
private const val FIRST_WINS = ALL / 2

/** How many copies the average remembers. With fewer, bad luck would stop copies that win half the time. */
private const val MEMORY = 16

/** The share of won copies, in thousandths, from which on the whole budget is there. */
private const val ENOUGH_WINS = ALL / 3
private const val LEAST_TRUST = 0.02
