package dev.reprise.lab.fleet

import dev.reprise.lab.text.plain
import java.util.PriorityQueue

/** Decides who is let in. Times in ns, in the order of time. */
internal fun interface Admission {
    /** Whether a request that arrives [now] is admitted; it then counts. */
    fun admits(now: Long): Boolean
}

/** A rule of a server's admission. Each run of a simulation opens it anew. */
internal class AdmissionRule(
    val words: String,
    /** Requests a second that it admits. */
    val rate: Steps,
    val open: () -> Admission,
) {
    /** The mean of [rate] between two moments, in s. */
    fun meanRate(from: Double, to: Double): Double = Course(rate).sum(nanosOf(from), nanosOf(to)) / (to - from)

    companion object {
        fun tokenBucket(rate: Steps, burst: Double) = AdmissionRule(
            "The server admits ${rate.words()} requests a second, in bursts of up to ${plain(burst)}.",
            rate,
        ) { TokenBucket(Course(rate), burst) }

        fun fixedWindow(limit: Steps, seconds: Double) = AdmissionRule(
            "The server admits ${limit.words()} requests in each window of ${plain(seconds)} s, and the windows " +
                "begin at 0.",
            limit.perSecond(seconds),
        ) { FixedWindow(Course(limit), nanosOf(seconds)) }

        fun slidingWindow(limit: Steps, seconds: Double, countsRefusals: Boolean) = AdmissionRule(
            "The server admits ${limit.words()} requests in any ${plain(seconds)} s" +
                (if (countsRefusals) ", where refused ones count too" else "") + ".",
            limit.perSecond(seconds),
        ) { SlidingWindow(Course(limit), nanosOf(seconds), countsRefusals) }

        private fun Steps.perSecond(window: Double) = map { (at, limit) -> at to limit / window }
    }
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
    private val counted = PriorityQueue<Long>()

    override fun admits(now: Long): Boolean {
        counted.dropUpTo(now - windowNanos)
        val admits = counted.size + 1 <= limit.at(now)
        if (admits || countsRefusals) counted.add(now)
        return admits
    }
}

internal fun PriorityQueue<Long>.dropUpTo(limit: Long) {
    while (isNotEmpty() && peek() <= limit) poll()
}
