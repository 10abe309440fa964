package dev.reprise.core.shell.quota

import dev.reprise.core.NanoClock
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.isSetBack
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
        while (true) {
            val old = window.get()
            val now = old.now()
            val isThere = tokens == 0 || tokens <= full(now) - now.taken()
            if (window.compareAndSet(old, if (isThere) now.plus(tokens) else now)) return isThere
        }
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        requireTokens(tokens)
        while (true) {
            val old = window.get()
            val now = old.nowOrThen()
            val rest = now.minus(tokens)
            if (window.compareAndSet(old, rest)) return (now.taken() - rest.taken()).toInt()
        }
    }

    /** The window as it is now. To look at it changes nothing. */
    private fun seen(): RatioWindow = window.get().nowOrThen()

    /** This window as it is now. After a clock was set back it goes on, or nothing would be forgotten until that has caught up. */
    private fun RatioWindow.now(): RatioWindow {
        val slot = (clock.nanoTime() - startedAt) / slotNanos
        val known = if (isSetBack(this.slot * slotNanos, slot * slotNanos)) goingOnFrom(slot) else this
        return known.at(slot, successes.sum())
    }

    /** [now]; with a clock that throws as it was, since what was taken goes back all the same. */
    private fun RatioWindow.nowOrThen(): RatioWindow = try {
        now()
    } catch (_: Throwable) {
        this
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
