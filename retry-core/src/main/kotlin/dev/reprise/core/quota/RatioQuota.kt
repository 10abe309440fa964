package dev.reprise.core.quota

import dev.reprise.core.classify.FailureKind
import dev.reprise.core.time.NanoClock
import dev.reprise.core.time.SECOND
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.atomic.LongAdder

/**
 * The quota of [RatioQuotaSettings]: a share of the successes in a window, and a floor. Spent tokens are forgotten when
 * the window has passed.
 *
 * A success is counted without reading a clock. Lock-free and safe for any number of threads.
 */
internal class RatioQuota(private val settings: RatioQuotaSettings, private val clock: NanoClock, share: Double) :
    Quota {
    private val floor = settings.perSecond.toLong() * settings.windowSeconds * RatioQuotaSettings.RETRY
    private val slotNanos = settings.windowSeconds * SECOND / RatioWindow.SLOTS
    private val startedAt = clock.nanoTime()
    private val successes = LongAdder()
    private val window = AtomicReference(RatioWindow(taken = floor - (floor * share).toLong()))

    override val capacity: Int get() = full(seen()).toTokens()

    override val available: Int get() = seen().let { full(it) - it.taken() }.toTokens()

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        requireTokens(tokens)
        val slot = slot()
        while (true) {
            val old = window.get()
            val now = old.at(slot, successes.sum())
            val isThere = tokens == 0 || tokens <= full(now) - now.taken()
            if (window.compareAndSet(old, if (isThere) now.plus(tokens) else now)) return isThere
        }
    }

    override fun begun(tokens: Int) {
        window.updateAndGet { it.made(tokens) }
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        requireTokens(tokens)
        val slot = slotOrNone()
        while (true) {
            val old = window.get()
            val now = old.at(slot, successes.sum())
            val rest = now.minus(tokens)
            if (window.compareAndSet(old, rest)) return (now.taken() - rest.taken()).toInt()
        }
    }

    /** The window as it is now. To look at it changes nothing. */
    private fun seen(): RatioWindow = window.get().at(slotOrNone(), successes.sum())

    private fun slot(): Long = (clock.nanoTime() - startedAt) / slotNanos

    /** [slot]; with a clock that throws one that is long over, since what was taken goes back all the same. */
    private fun slotOrNone(): Long = try {
        slot()
    } catch (_: Throwable) {
        0
    }

    /** Counts a success. Each successful call counts once; the cost of its last retry is ignored. */
    override fun succeeded(tokens: Int, operation: String?): Int {
        requireTokens(tokens)
        successes.increment()
        return settings.percent
    }

    private fun full(window: RatioWindow): Long = floor + settings.percent * window.successes()

    private fun Long.toTokens(): Int = coerceIn(0, Int.MAX_VALUE.toLong()).toInt()

    override fun toString(): String = "ratio quota($available of $capacity)"
}
