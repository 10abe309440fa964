package dev.reprise.core.shell.quota

import dev.reprise.core.NanoClock
import dev.reprise.core.shell.time.isSetBack
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.atomic.LongAdder

/**
 * The calls of a client's last [windowNanos], estimated. Calls are counted without a clock, on a striped counter; the clock
 * is read only when the estimate is asked for. Calls between two readings count as evenly spread, so after a long time
 * without a question the estimate is the mean of that time. Lock-free.
 */
internal class Traffic(private val windowNanos: Long, private val clock: NanoClock) {
    private class Reading(val at: Long, val calls: Long, val recent: Double)

    private val calls = LongAdder()
    private val last = AtomicReference(Reading(clock.nanoTime(), 0, 0.0))

    /** Counts one call. */
    fun count() = calls.increment()

    /** Returns the calls of the last window; a reading that is younger than a tenth of a window is used again. */
    fun recent(): Double {
        val now = clock.nanoTime()
        val then = last.get()
        // A clock that was set back counts on from here, or the estimate would stand still until the clock has caught up.
        if (isSetBack(then.at, now)) last.compareAndSet(then, Reading(now, then.calls, then.recent))
        val passed = now - then.at
        if (passed < windowNanos / REFRESHES) return then.recent
        val total = calls.sum()
        val added = (total - then.calls).coerceAtLeast(0)
        val share = passed.toDouble() / windowNanos
        val recent = if (share >= 1) added / share else then.recent * (1 - share) + added
        last.compareAndSet(then, Reading(now, total, recent))
        return last.get().recent
    }
}

private const val REFRESHES = 10
