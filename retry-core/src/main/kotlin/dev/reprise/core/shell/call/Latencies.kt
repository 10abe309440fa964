package dev.reprise.core.shell.call

import dev.reprise.core.shell.time.isSetBack
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicIntegerArray
import java.util.concurrent.atomic.AtomicReference

/**
 * How long the recent attempts of one operation took: three windows of counts in logarithmic buckets, eight for each
 * doubling from 65 µs to 36 minutes. A window ends after ten seconds if it has 100 counts, and after five minutes in any
 * case: a client that makes one call a second learns, and one that makes one in ten seconds does not.
 *
 * Lock-free and safe for any number of threads. A count that races with the end of a window lands in the window that ended.
 */
internal class Latencies {
    private val windows = AtomicReference(Windows(emptyList()))

    @Volatile
    private var known = Known(0, NONE)

    /** Records an attempt that took [nanos] and ended at [now], or was cut off after them: it took at least that long. */
    fun record(nanos: Long, now: Long) {
        val before = windows.get()
        if (before.isOver(now)) windows.compareAndSet(before, before.next(now))
        windows.get().count(nanos)
    }

    /**
     * Returns the time in ns that the [quantile] of the recent attempts took at most, as of the last second; [NONE] until
     * 100 attempts are known.
     */
    fun quantile(quantile: Double, now: Long): Long {
        val last = known
        if (last.nanos != NONE && now - last.at in 0..<REFRESH_NANOS) return last.nanos
        return windows.get().quantile(quantile, now).also { known = Known(now, it) }
    }

    private class Known(val at: Long, val nanos: Long)

    /** The newest window first. Immutable but for the counts. */
    private class Windows(private val all: List<Window>) {
        fun isOver(now: Long): Boolean {
            val newest = all.firstOrNull() ?: return true
            val age = now - newest.startedAt
            return isSetBack(newest.startedAt, now) || age >= LONGEST_NANOS ||
                (age >= WINDOW_NANOS && newest.total.get() >= ENOUGH)
        }

        /** A new window, and the windows that are still recent. */
        fun next(now: Long) = Windows(listOf(Window(now)) + recent(now).take(KEPT - 1))

        private fun recent(now: Long) = all.filter { now - it.startedAt < OLDEST_NANOS }

        fun count(nanos: Long) {
            all[0].counts.incrementAndGet(bucketOf(nanos))
            all[0].total.incrementAndGet()
        }

        fun quantile(quantile: Double, now: Long): Long {
            val all = recent(now)
            // Asked on each call of a client that is still learning, or never will.
            if (all.sumOf { it.total.get() } < ENOUGH) return NONE
            val counts = LongArray(BUCKETS)
            for (window in all) for (bucket in counts.indices) counts[bucket] += window.counts.get(bucket).toLong()
            val total = counts.sum()
            var rank = quantile * total
            for (bucket in counts.indices) {
                if (counts[bucket] > 0 && rank <= counts[bucket]) {
                    // Inside a bucket times are taken to be spread evenly.
                    val low = lowerBound(bucket)
                    return low + ((lowerBound(bucket + 1) - low) * (rank / counts[bucket])).toLong()
                }
                rank -= counts[bucket]
            }
            return lowerBound(BUCKETS)
        }
    }

    private class Window(val startedAt: Long) {
        val counts = AtomicIntegerArray(BUCKETS)
        val total = AtomicInteger()
    }

    internal companion object {
        /** No quantile is known. */
        const val NONE = Long.MAX_VALUE

        /** The fewest attempts from which a quantile is read: below them the slowest two per cent are one or two. */
        const val ENOUGH = 100

        private const val WINDOW_NANOS = 10_000_000_000L
        private const val LONGEST_NANOS = 30 * WINDOW_NANOS
        private const val OLDEST_NANOS = 3 * LONGEST_NANOS
        private const val REFRESH_NANOS = 1_000_000_000L
        private const val KEPT = 3

        private const val SUB_BITS = 3
        private const val LOWEST_BIT = 16
        private const val DOUBLINGS = 25
        private const val BUCKETS = DOUBLINGS shl SUB_BITS

        /** The bucket of [nanos]: the ends take what lies beyond them. */
        fun bucketOf(nanos: Long): Int {
            if (nanos < 1L shl LOWEST_BIT) return 0
            val bit = Long.SIZE_BITS - 1 - nanos.countLeadingZeroBits()
            val sub = (nanos ushr (bit - SUB_BITS)).toInt() and ((1 shl SUB_BITS) - 1)
            return minOf((bit - LOWEST_BIT shl SUB_BITS) + sub, BUCKETS - 1)
        }

        /** The shortest time, in ns, that is counted in [bucket]. */
        fun lowerBound(bucket: Int): Long {
            val sub = (1L shl SUB_BITS) + (bucket and ((1 shl SUB_BITS) - 1))
            return sub shl (LOWEST_BIT - SUB_BITS + (bucket ushr SUB_BITS))
        }
    }
}
