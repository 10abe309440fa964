package dev.reprise.core.rate

import kotlin.math.ceil
import kotlin.math.max
import kotlin.math.min

/** The bucket of send tokens: [level] of at most [capacity] tokens at the time [filledAt], filling at [rate] a second. */
internal class SendTokens(val rate: Double, val capacity: Double, val level: Double, private val filledAt: Long) {
    fun levelAt(now: Long): Double = if (filledAt < 0) level else levelAfter(now - filledAt)

    /** The bucket filled up to [now] and from then on filling at [rate]. */
    fun refilled(now: Long, rate: Double, capacity: Double): SendTokens =
        SendTokens(rate, capacity, min(levelAt(now), capacity), now)

    /** The bucket less one token, or null when there is no whole token at [now]. */
    fun take(now: Long): SendTokens? {
        val level = levelAt(now)
        return if (level >= 1) SendTokens(rate, capacity, level - 1, now) else null
    }

    /** The bucket with a token put back that was taken and not used. */
    fun putBack(): SendTokens = SendTokens(rate, capacity, min(level + 1, capacity), filledAt)

    /** Nanoseconds from [now] until [count] tokens have come in, at least until one is there: never less than is needed. */
    fun waitNanos(now: Long, count: Double): Long {
        val short = count - levelAt(now)
        if (short <= 0) return 0
        val wait = ceil(short / rate * NANOS_PER_SECOND).toLong()
        val arrived = levelAfter(saturatedSum(now - max(filledAt, 0), wait), Double.MAX_VALUE)
        return if (arrived >= count) wait else saturatedSum(wait, 1 + (wait ushr ROUNDING_BITS))
    }

    private fun levelAfter(elapsed: Long, limit: Double = capacity): Double = min(
        limit,
        level + secondsOf(elapsed) * rate,
    )

    companion object {
        /** A double carries 53 bits; one part in 2^50 is more than a rounding error. */
        private const val ROUNDING_BITS = 50

        /** Before the first answer there is nothing to take and no time to fill from. */
        val NONE = SendTokens(rate = 0.0, capacity = 0.0, level = 0.0, filledAt = -1)
    }
}

internal fun saturatedSum(a: Long, b: Long): Long = (a + b).let { if (it < 0) Long.MAX_VALUE else it }
