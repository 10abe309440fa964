package dev.reprise.core.shell.rate.sim

import dev.reprise.virtualtime.Latency
import kotlin.math.max
import kotlin.math.roundToInt

/** A server that decides on arrival whether it admits a request. Times in seconds. */
internal interface Server {
    /** Whether the request that arrives at [now] is admitted while the server's rate is [capacity] a second. */
    fun admits(now: Double, capacity: Double): Boolean

    /** How long an admitted request waits for its turn. */
    fun queued(now: Double): Double = 0.0

    /** An admitted request has been answered. */
    fun done() = Unit
}

/** Admits [Condition.capacity] a second with a burst of [burst] of it. */
internal class TokenBucket(private val burst: (Double) -> Double) : Server {
    private var tokens = 1.0
    private var filledAt = 0.0

    override fun admits(now: Double, capacity: Double): Boolean {
        tokens = minOf(max(1.0, burst(capacity)), tokens + (now - filledAt) * capacity)
        filledAt = now
        // Rounding errors of a sum of nanoseconds must not refuse what came exactly in time.
        return (tokens >= 1 - 1e-9).also { if (it) tokens -= 1 }
    }
}

/** Windows of a second, or of one request where that is longer; the first C of each are admitted. */
internal class FixedWindow : Server {
    private var window = -1L
    private var used = 0

    override fun admits(now: Double, capacity: Double): Boolean {
        val current = (now / max(1.0, 1 / capacity)).toLong()
        if (current != window) used = 0
        window = current
        return (used < limit(capacity)).also { if (it) used++ }
    }
}

/** Admits when fewer than C requests of the last second count; refused ones count too if [countsRefused]. */
internal class SlidingWindow(private val countsRefused: Boolean) : Server {
    private val times = ArrayDeque<Double>()

    override fun admits(now: Double, capacity: Double): Boolean {
        val from = now - max(1.0, 1 / capacity)
        while (times.isNotEmpty() && times.first() <= from) times.removeFirst()
        val admits = times.size < limit(capacity)
        if (admits || countsRefused) times.addLast(now)
        // Those beyond the limit make no difference once so many have come.
        if (times.size > limit(capacity)) times.removeFirst()
        return admits
    }
}

/**
 * Works on one request after the other, C a second, and refuses when those in the queue take longer than half a
 * second.
 */
internal class QueueServer : Server {
    private var freeAt = 0.0

    override fun admits(now: Double, capacity: Double): Boolean {
        val begins = max(now, freeAt)
        if (begins - now > max(0.5, 1.5 / capacity)) return false
        freeAt = begins + 1 / capacity
        return true
    }

    override fun queued(now: Double): Double = max(0.0, freeAt - now)
}

/** Works on C x [latency] requests at a time, at least one, and refuses others. */
internal class ConcurrencyLimit(private val latency: Double) : Server {
    private var underWay = 0

    override fun admits(now: Double, capacity: Double): Boolean =
        (underWay < max(1, (capacity * latency).roundToInt())).also { if (it) underWay++ }

    override fun done() {
        underWay--
    }
}

private fun limit(capacity: Double) = max(1, capacity.roundToInt())

/** The kinds of servers of the matrix. */
internal enum class ServerKind(val title: String, val make: (Latency) -> Server) {
    BUCKET_1("bucket, burst 1", { TokenBucket { 1.0 } }),
    BUCKET_10("bucket, burst C/10", { TokenBucket { it / 10 } }),
    BUCKET_C("bucket, burst C", { TokenBucket { it } }),
    FIXED("fixed window", { FixedWindow() }),
    SLIDING("sliding window", { SlidingWindow(countsRefused = false) }),
    COUNTING("counting window", { SlidingWindow(countsRefused = true) }),
    QUEUE("queue", { QueueServer() }),
    CONCURRENCY("concurrency limit", { ConcurrencyLimit(it.mean) }),
}
