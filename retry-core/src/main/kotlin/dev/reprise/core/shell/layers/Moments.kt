package dev.reprise.core.shell.layers

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.atomic.AtomicIntegerArray

/**
 * Numbers moments of threads, so that one can tell whether a call was made on a thread while an attempt ran there. A moment
 * holds the thread's id and a count; threads may share a counter, which then only grows faster. 0 is no moment.
 */
@ShellApi
public object Moments {
    /** How many counters there are; a power of two. */
    private const val COUNTERS = 64

    /** One counter for each cache line. */
    private const val APART = 16

    private const val COUNT_BITS = 32

    private val counts = AtomicIntegerArray(COUNTERS * APART)

    /** The present moment of this thread, not before the last one. */
    @JvmStatic
    public fun now(): Long {
        val id = thread()
        return of(id, counts.get(counter(id)))
    }

    /** The present moment of the thread of [moment]. */
    @JvmStatic
    public fun nowOf(moment: Long): Long {
        val id = (moment ushr COUNT_BITS).toInt()
        return of(id, counts.get(counter(id)))
    }

    /** A new moment of this thread: later than each one before. */
    @JvmStatic
    public fun next(): Long {
        val id = thread()
        return of(id, counts.incrementAndGet(counter(id)))
    }

    /** Whether [moment] is of the same thread as [from] and [to], later than [from], and not later than [to]. */
    internal fun isWithin(moment: Long, from: Long, to: Long): Boolean {
        val isOneThread = (moment xor from) ushr COUNT_BITS == 0L && (moment xor to) ushr COUNT_BITS == 0L
        // Differences, since counters overflow.
        return isOneThread && moment.toInt() - from.toInt() > 0 && to.toInt() - moment.toInt() >= 0
    }

    /** The id of this thread, cut to 32 bits. */
    @Suppress("DEPRECATION") // threadId() is of Java 19.
    internal fun thread(): Int = Thread.currentThread().id.toInt()

    private fun counter(id: Int) = (id and (COUNTERS - 1)) * APART

    private fun of(id: Int, count: Int) = (id.toLong() shl COUNT_BITS) or (count.toLong() and 0xFFFF_FFFFL)
}
