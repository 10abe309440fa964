package dev.reprise.lab.fleet.server

import dev.reprise.lab.fleet.kernel.Course
import dev.reprise.lab.fleet.kernel.LongHeap

/** Who is let in. Times in ns, in the order of time. */
internal fun interface Admission {
    /** Whether a request that arrives [now] is admitted; it then counts. */
    fun admits(now: Long): Boolean
}

/** A token bucket: [rate] tokens a second, at most [burst] of them, and full at the beginning. */
internal class TokenBucket(private val rate: Course, private val burst: Double) : Admission {
    private var tokens = burst
    private var filledAt = 0L

    override fun admits(now: Long): Boolean {
        tokens = minOf(burst, tokens + rate.sum(filledAt, now))
        filledAt = now
        if (tokens < 1) return false
        tokens -= 1
        return true
    }
}

/** At most [limit] requests in each window of [windowNanos], which begin at 0: a counter that expires, as in Redis. */
internal class FixedWindow(private val limit: Course, private val windowNanos: Long) : Admission {
    private var window = -1L
    private var count = 0

    override fun admits(now: Long): Boolean {
        if (now / windowNanos != window) {
            window = now / windowNanos
            count = 0
        }
        if (count + 1 > limit.at(now)) return false
        count++
        return true
    }
}

/**
 * At most [limit] requests in any span of [windowNanos]. With [countsRefusals] a request that was refused counts too, so that
 * callers who do not hold back stay locked out.
 */
internal class SlidingWindow(
    private val limit: Course,
    private val windowNanos: Long,
    private val countsRefusals: Boolean = false,
) : Admission {
    private val counted = LongHeap()

    override fun admits(now: Long): Boolean {
        counted.dropUpTo(now - windowNanos)
        val admits = counted.size + 1 <= limit.at(now)
        if (admits || countsRefusals) counted.add(now)
        return admits
    }
}
